"""Calls a running attachd through the client that was made from its description:
client.py URL MEDIA_URL [--token TOKEN] [--without-links]

Without --public-url, payloads keep the sender's URLs: only results name the ready files, and a rewritten payload is the
original. --without-links expects that.
"""

import argparse
from urllib.parse import parse_qsl, urlsplit

from attachd_client import AuthenticatedClient, Client
from attachd_client.api.attachments import forget_source, get_attachment
from attachd_client.api.health import get_liveness, get_metrics, get_readiness
from attachd_client.api.jobs import cancel_job, enqueue_job, get_job
from attachd_client.api.notifications import process_notification, rewrite_payload
from attachd_client.api.responses import respond_to_notification
from attachd_client.models import (
    Envelope, JobState, JobStateState, Outcome, Problem, Profile, PushPayload, PushType, Reason, Result,
    ResponseAnswerOption, ShownNotification, ShownNotificationPayload, SystemResponse, SystemResponseActionIdentifier)


def expect(condition, *values):
    if not condition:
        raise SystemExit(f"the client got something else: {values}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("media")
    parser.add_argument("--token")
    parser.add_argument("--without-links", action="store_true")
    given = parser.parse_args()
    media, has_links = given.media, not given.without_links
    client = AuthenticatedClient(given.url, given.token) if given.token else Client(given.url)
    photo = PushPayload.from_dict(
        {"aps": {"alert": "Look!", "mutable-content": 1}, "my-attachment": f"{media}/photo.jpg"})

    for check in get_liveness, get_readiness, get_metrics:
        expect(check.sync_detailed(client=client).status_code == 200, check)

    result = process_notification.sync(client=client, body=Envelope(payload=photo, profile=Profile.APNS, deadline="20s"))
    expect(isinstance(result, Result) and result.outcome == Outcome.COMPLETE, result)
    attachment = result.attachments[0]
    expect((attachment.width, attachment.height) == (1038, 693), attachment)
    shown = attachment.url if has_links else photo["my-attachment"]
    expect(result.payload["my-attachment"] == shown, result.payload)

    link = urlsplit(attachment.url)
    if has_links:
        query = dict(parse_qsl(link.query))
        file = get_attachment.sync_detailed(
            link.path.split("/")[-1], client=client, expires=int(query["expires"]), signature=query["signature"])
        expect(file.status_code == 200 and len(file.content) == attachment.bytes_, file.status_code)
    else:
        expect(link.scheme == "file", attachment.url)

    missing = PushPayload.from_dict({**photo.to_dict(), "my-attachment": f"{media}/missing.jpg"})
    result = process_notification.sync(client=client, body=Envelope(payload=missing))
    expect(result.outcome == Outcome.ORIGINAL and result.errors[0].reason == Reason.HTTPSTATUS, result)

    answer = rewrite_payload.sync_detailed(
        client=client, body=photo, attachd_deadline="20s", attachd_push_type=PushType.ALERT)
    expect(answer.headers["Attachd-Outcome"] == ("complete" if has_links else "original"), answer)
    expect(answer.parsed["my-attachment"] == shown, answer)

    answer = rewrite_payload.sync_detailed(client=client, body=[photo.to_dict(), 1, missing.to_dict()], attachd_deadline="20s")
    expect(answer.headers["Attachd-Outcome"] == "original", answer)
    expect(answer.parsed[0]["my-attachment"] == shown and answer.parsed[1].status == 422, answer)
    envelopes = [Envelope(payload=each, id=str(index)).to_dict() for index, each in enumerate((photo, missing))]
    results = process_notification.sync(client=client, body=envelopes)
    expect([(each.id, each.outcome) for each in results] == [("0", Outcome.COMPLETE), ("1", Outcome.ORIGINAL)], results)

    problem = process_notification.sync(client=client, body=Envelope(payload=photo, deadline="soon"))
    expect(isinstance(problem, Problem) and problem.status == 422 and "800ms" in problem.detail, problem)

    job = enqueue_job.sync(client=client, body=Envelope(payload=photo, id="4711"))
    state = get_job.sync(job.id, client=client, wait="20s")
    expect(isinstance(state, JobState) and state.state == JobStateState.FINISHED, state)
    expect(state.result.outcome == Outcome.COMPLETE, state)
    expect(cancel_job.sync(job.id, client=client).status == 409, job)
    expect(get_job.sync("no-such-job", client=client).status == 404)

    tap = SystemResponse(
        action_identifier=SystemResponseActionIdentifier.COM_APPLE_UNNOTIFICATIONDEFAULTACTIONIDENTIFIER,
        notification=ShownNotification(
            identifier="4711", payload=ShownNotificationPayload.from_dict(photo.to_dict())))
    expect(respond_to_notification.sync(client=client, body=tap).option
           == ResponseAnswerOption.DISMISSANDFORWARDACTION)

    forgotten = forget_source.sync(client=client, source=f"{media}/photo.jpg")
    expect(len(forgotten.forgotten) == 1, forgotten)
    print("The client made from the description works.")


if __name__ == "__main__":
    main()
