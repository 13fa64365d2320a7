"""Calls a running attachd through the client that was made from its description: client.py URL MEDIA_URL [TOKEN]"""

import sys
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
    url, media = sys.argv[1:3]
    client = AuthenticatedClient(url, sys.argv[3]) if len(sys.argv) > 3 else Client(url)
    photo = PushPayload.from_dict(
        {"aps": {"alert": "Look!", "mutable-content": 1}, "my-attachment": f"{media}/photo.jpg"})

    for check in get_liveness, get_readiness, get_metrics:
        expect(check.sync_detailed(client=client).status_code == 200, check)

    result = process_notification.sync(client=client, body=Envelope(payload=photo, profile=Profile.APNS, deadline="20s"))
    expect(isinstance(result, Result) and result.outcome == Outcome.COMPLETE, result)
    attachment = result.attachments[0]
    expect((attachment.width, attachment.height) == (1038, 693), attachment)
    expect(result.payload["my-attachment"] == attachment.url, result.payload)

    link = urlsplit(attachment.url)
    query = dict(parse_qsl(link.query))
    file = get_attachment.sync_detailed(
        link.path.split("/")[-1], client=client, expires=int(query["expires"]), signature=query["signature"])
    expect(file.status_code == 200 and len(file.content) == attachment.bytes_, file.status_code)

    missing = PushPayload.from_dict({**photo.to_dict(), "my-attachment": f"{media}/missing.jpg"})
    result = process_notification.sync(client=client, body=Envelope(payload=missing))
    expect(result.outcome == Outcome.ORIGINAL and result.errors[0].reason == Reason.HTTPSTATUS, result)

    answer = rewrite_payload.sync_detailed(
        client=client, body=photo, attachd_deadline="20s", attachd_push_type=PushType.ALERT)
    expect(answer.headers["Attachd-Outcome"] == "complete", answer)
    expect(answer.parsed["my-attachment"] == attachment.url, answer)

    answer = rewrite_payload.sync_detailed(client=client, body=[photo.to_dict(), 1, missing.to_dict()], attachd_deadline="20s")
    expect(answer.headers["Attachd-Outcome"] == "original", answer)
    expect(answer.parsed[0]["my-attachment"] == attachment.url and answer.parsed[1].status == 422, answer)
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
