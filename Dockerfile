# syntax=docker/dockerfile:1
FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY Scripts/packages.txt Scripts/packages.txt
RUN apt-get update \
    && awk '$1 == "build" { print $2 }' Scripts/packages.txt | xargs apt-get install -y --no-install-recommends
COPY Package.swift ./
COPY Sources Sources
# The preview's samples, which Sources links to.
COPY Samples/payloads Samples/payloads
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product attachd \
    && swift build -c release --static-swift-stdlib --product attachd-decoder \
    && install -D -t /out "$(swift build -c release --static-swift-stdlib --show-bin-path)"/attachd \
        "$(swift build -c release --static-swift-stdlib --show-bin-path)"/attachd-decoder \
    && strip /out/attachd /out/attachd-decoder

FROM debian:bookworm-slim
COPY Scripts/packages.txt /tmp/packages.txt
RUN apt-get update \
    && awk '$1 == "runtime" { print $2 }' /tmp/packages.txt | xargs apt-get install -y --no-install-recommends \
    && rm -rf /var/lib/apt/lists/* /tmp/packages.txt \
    && useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin attachd \
    && install -d -o attachd -g attachd -m 0700 /var/lib/attachd
COPY --from=build /out/ /usr/local/bin/
USER 10001:10001
# All that is written goes here, so the rest of the file system can be read-only (docker run --read-only).
VOLUME /var/lib/attachd
ENV ATTACHD_STORE=/var/lib/attachd
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s \
    CMD ["curl", "-sf", "-o", "/dev/null", "http://127.0.0.1:8080/readyz"]
ENTRYPOINT ["/usr/local/bin/attachd"]
CMD ["serve"]
