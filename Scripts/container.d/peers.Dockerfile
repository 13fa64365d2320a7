# What stands beside attachd in a pod of Scripts/container: Redis, and the sample gateway. The context is Samples.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-redis redis-server \
    && rm -rf /var/lib/apt/lists/*
COPY gateway /samples/gateway
COPY redis /samples/redis
WORKDIR /samples
ENV PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["/usr/bin/env", "--"]
