# The image in which the Dockerfile builds, for machines without a registry. The context is the toolchain's folder usr.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends binutils ca-certificates git libc6-dev libcurl4-openssl-dev libedit2 \
        libgcc-12-dev libncurses-dev libpython3-dev libstdc++-12-dev libxml2-dev libz3-dev pkg-config tzdata zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
COPY . /usr/
