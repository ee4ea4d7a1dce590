# The dispatcher on a JVM, for amd64 and arm64. From the repository's root:
#   ./mvnw -DskipTests package
#   docker build -f deploy/docker/dispatcher.jvm.Dockerfile -t stoker-dispatcher:0.1.0 .
# `docker run … stoker-dispatcher:0.1.0 migrate` brings the database to its schema and ends.
FROM eclipse-temurin:25.0.3_9-jre-noble

WORKDIR /opt/stoker
# What changes least comes first, so that a new version of Stoker is one small layer.
COPY dispatcher/service/target/quarkus-app/lib/ lib/
COPY dispatcher/service/target/quarkus-app/quarkus/ quarkus/
COPY dispatcher/service/target/quarkus-app/app/ app/

# All classes on a plain class path, in a fixed order, those first that win over later ones; and what
# a start loads and links, rehearsed now, kept for all starts to come. The JVM does without a cache
# that does not fit: if the rehearsal fails, the image still works. What it leaves in /tmp is root's,
# and would be in the way of who runs this with `--read-only --tmpfs /tmp`.
RUN printf -- '-XX:+UseSerialGC\n-XX:MaxRAMPercentage=70\n-XX:+ExitOnOutOfMemoryError\n--add-opens=java.base/java.lang=ALL-UNNAMED\n--enable-native-access=ALL-UNNAMED\n-Djava.util.logging.manager=org.jboss.logmanager.LogManager\n-Xlog:aot=off\n-cp\n%s\n' \
      "$(printf '%s\n' quarkus/transformed-bytecode.jar quarkus/generated-bytecode.jar app/*.jar lib/boot/*.jar lib/main/*.jar | sed 's#^#/opt/stoker/#' | paste -s -d :)" >dispatcher.args \
 && { java -XX:AOTCacheOutput=/opt/stoker/dispatcher.aot @dispatcher.args io.stoker.dispatcher.Main rehearse || true; } \
 && find /tmp -mindepth 1 -delete

# Needs no right, no home and nothing to write to but /tmp.
USER 10001:10001
EXPOSE 8080 9000
# Within a container: what of it is reached from outside is the engine's say. Who calls is asked for
# a token; health, which is not, has a port of its own beside metrics and the description.
ENV STOKER_HTTP_HOST=0.0.0.0 \
    STOKER_HTTP_MANAGEMENT_PORT=9000
ENTRYPOINT ["java", "-XX:AOTCache=/opt/stoker/dispatcher.aot", "@/opt/stoker/dispatcher.args", "io.stoker.dispatcher.Main"]
