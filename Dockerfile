# syntax=docker/dockerfile:1
# Builds an image with nothing but both programs and the libraries that they load: no shell, no packages.
FROM swift:6.3.1-bookworm AS build
WORKDIR /src
COPY Scripts/packages.txt Scripts/packages.txt
RUN apt-get update \
    && awk '$1 == "build" { print $2 }' Scripts/packages.txt | xargs apt-get install -y --no-install-recommends
# The Swift packages have a layer of their own: a change of the sources does not fetch them again.
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
# The preview's samples, which Sources links to.
COPY Samples/payloads Samples/payloads
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib -debug-info-format none --product attachd \
    && swift build -c release --static-swift-stdlib -debug-info-format none --product attachd-decoder \
    && install -D -t /out "$(swift build -c release --static-swift-stdlib -debug-info-format none --show-bin-path)"/attachd \
        "$(swift build -c release --static-swift-stdlib -debug-info-format none --show-bin-path)"/attachd-decoder \
    && strip /out/attachd /out/attachd-decoder

FROM debian:bookworm-slim AS closure
COPY Scripts/packages.txt /tmp/packages.txt
RUN apt-get update \
    && awk '$1 == "runtime" { print $2 }' /tmp/packages.txt | xargs apt-get install -y --no-install-recommends binutils
COPY --from=build /out/ /usr/local/bin/
COPY Scripts/closure /tmp/closure
RUN sh /tmp/closure /closure

FROM scratch
COPY --from=closure /closure/ /
USER 10001:10001
# All that is written goes here, so the rest of the file system can be read-only (docker run --read-only).
VOLUME /var/lib/attachd
ENV ATTACHD_STORE=/var/lib/attachd
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["/usr/local/bin/attachd", "health"]
ENTRYPOINT ["/usr/local/bin/attachd"]
CMD ["serve"]
