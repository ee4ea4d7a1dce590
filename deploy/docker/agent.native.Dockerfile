# The agent as a native image, on glibc: NVIDIA's library needs it. Build the executable for the
# platform of the image:
#   ./mvnw -DskipTests package -pl gpu-agent/service -am -Pnative
#   docker build -f deploy/docker/agent.native.Dockerfile -t stoker-agent:0.1.0-native .
# As with the JVM image, BASE is what the jobs need, and the host's pid namespace what NVML needs.
ARG BASE=ubuntu:24.04
FROM ${BASE}

WORKDIR /opt/stoker
COPY --chmod=0755 gpu-agent/service/target/*-runner agent

# Without a LANG of UTF-8 it could not name the files whose names have other letters than ASCII.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    STOKER_AGENT_DATA=/var/lib/stoker \
    HOME=/var/lib/stoker \
    LANG=C.UTF-8
RUN mkdir -p /var/lib/stoker && chown 10001:10001 /var/lib/stoker
VOLUME /var/lib/stoker

USER 10001:10001
ENTRYPOINT ["./agent"]
