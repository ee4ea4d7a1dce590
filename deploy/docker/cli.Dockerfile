# The command line, for the steps that a set-up runs once (`topics create`) and for posting from
# inside a cluster. It carries no services: `up`, `demo`, `agent`, `dispatcher` and `migrate` need
# the source tree or the other images.
#   ./mvnw -DskipTests package
#   docker build -f deploy/docker/cli.Dockerfile -t stoker-cli:0.1.0 .
FROM eclipse-temurin:21.0.9_10-jre-noble

WORKDIR /opt/stoker
COPY cli/target/lib/ lib/
COPY cli/target/cli-*.jar .

# A volume for tokens that is mounted here is the user's, as this folder is.
RUN mkdir -p /etc/stoker && chown 10001:10001 /etc/stoker

USER 10001:10001
ENV HOME=/tmp
ENTRYPOINT ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dstoker.home=/opt/stoker", "-cp", "/opt/stoker/*:/opt/stoker/lib/*", "io.stoker.cli.Main"]
