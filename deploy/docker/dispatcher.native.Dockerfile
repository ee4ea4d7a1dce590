# The dispatcher as a native image, on glibc. Build the executable for the platform of the image:
#   ./mvnw -DskipTests package -pl dispatcher/service -am -Dquarkus.native.enabled=true -Dquarkus.package.jar.enabled=false
#   docker build -f deploy/docker/dispatcher.native.Dockerfile -t stoker-dispatcher:0.1.0-native .
FROM debian:12.12-slim

WORKDIR /opt/stoker
COPY --chmod=0755 dispatcher/service/target/*-runner dispatcher

USER 10001:10001
EXPOSE 8080 9000
# Within a container: what of it is reached from outside is the engine's say. Who calls is asked for
# a token; health, which is not, has a port of its own beside metrics and the description.
ENV STOKER_HTTP_HOST=0.0.0.0 \
    STOKER_HTTP_MANAGEMENT_PORT=9000
ENTRYPOINT ["./dispatcher"]
