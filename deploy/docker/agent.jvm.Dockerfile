# The agent on a JVM, for amd64 and arm64. From the repository's root:
#   ./mvnw -DskipTests package
#   docker build -f deploy/docker/agent.jvm.Dockerfile -t stoker-agent:0.1.0 .
#
# Jobs run inside this container, so BASE is the image that *they* need: any with glibc, a shell and
# util-linux (setsid), such as
#   --build-arg BASE=nvidia/cuda:12.8.1-runtime-ubuntu24.04
# It must run with the host's pid namespace (--pid=host), where NVML's pids mean something.
ARG BASE=ubuntu:24.04
FROM eclipse-temurin:25.0.3_9-jre-noble AS java

FROM ${BASE}
COPY --from=java /opt/java/openjdk /opt/java/openjdk

WORKDIR /opt/stoker
COPY gpu-agent/service/target/quarkus-app/lib/ lib/
COPY gpu-agent/service/target/quarkus-app/quarkus/ quarkus/
COPY gpu-agent/service/target/quarkus-app/app/ app/

# All classes on a plain class path, in a fixed order, those first that win over later ones; and what
# a start loads and links, rehearsed now, kept for all starts to come. The JVM does without a cache
# that does not fit: if the rehearsal fails, the image still works. What it leaves in /tmp is root's,
# and would be in the way of who runs this with `--read-only --tmpfs /tmp`.
RUN printf -- '-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n-XX:-UsePerfData\n-XX:MaxRAMPercentage=50\n-XX:MinHeapFreeRatio=20\n-XX:MaxHeapFreeRatio=40\n-XX:+ExitOnOutOfMemoryError\n--add-opens=java.base/java.lang=ALL-UNNAMED\n--enable-native-access=ALL-UNNAMED\n-Djava.util.logging.manager=org.jboss.logmanager.LogManager\n-Xlog:aot=off\n-cp\n%s\n' \
      "$(printf '%s\n' quarkus/transformed-bytecode.jar quarkus/generated-bytecode.jar app/*.jar lib/boot/*.jar lib/main/*.jar | sed 's#^#/opt/stoker/#' | paste -s -d :)" >agent.args \
 && { /opt/java/openjdk/bin/java -XX:AOTCacheOutput=/opt/stoker/agent.aot @agent.args io.stoker.agent.app.AgentMain rehearse || true; } \
 && find /tmp -mindepth 1 -delete

# compute: libcuda for the jobs; utility: libnvidia-ml for the agent. Without a LANG of UTF-8 it could
# not name the files whose names have other letters than ASCII.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    STOKER_AGENT_DATA=/var/lib/stoker \
    HOME=/var/lib/stoker \
    LANG=C.UTF-8
RUN mkdir -p /var/lib/stoker && chown 10001:10001 /var/lib/stoker
VOLUME /var/lib/stoker

USER 10001:10001
ENTRYPOINT ["/opt/java/openjdk/bin/java", "-XX:AOTCache=/opt/stoker/agent.aot", "@/opt/stoker/agent.args", "io.stoker.agent.app.AgentMain"]
