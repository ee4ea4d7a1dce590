# The agent on a JVM, for amd64 and arm64. From the repository's root:
#   ./mvnw -DskipTests package
#   docker build -f deploy/docker/agent.jvm.Dockerfile -t stoker-agent:0.1.0 .
#
# Jobs run inside this container, so BASE is the image that *they* need: any with glibc, a shell and
# util-linux (setsid), such as
#   --build-arg BASE=nvidia/cuda:12.8.1-runtime-ubuntu24.04
# It must run with the host's pid namespace (--pid=host), where NVML's pids mean something.
ARG BASE=ubuntu:24.04
FROM eclipse-temurin:21.0.9_10-jre-noble AS java

FROM ${BASE}
COPY --from=java /opt/java/openjdk /opt/java/openjdk

WORKDIR /opt/stoker
COPY gpu-agent/target/quarkus-app/lib/ lib/
COPY gpu-agent/target/quarkus-app/quarkus/ quarkus/
COPY gpu-agent/target/quarkus-app/app/ app/
COPY gpu-agent/target/quarkus-app/quarkus-run.jar .

# compute: libcuda for the jobs; utility: libnvidia-ml for the agent.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    STOKER_AGENT_DATA=/var/lib/stoker \
    HOME=/var/lib/stoker
RUN mkdir -p /var/lib/stoker && chown 10001:10001 /var/lib/stoker
VOLUME /var/lib/stoker

USER 10001:10001
ENTRYPOINT ["/opt/java/openjdk/bin/java", "-XX:MaxRAMPercentage=50", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError", "-jar", "quarkus-run.jar"]
