# The dispatcher on a JVM, for amd64 and arm64. From the repository's root:
#   ./mvnw -DskipTests package
#   docker build -f deploy/docker/dispatcher.jvm.Dockerfile -t stoker-dispatcher:0.1.0 .
# `docker run … stoker-dispatcher:0.1.0 migrate` brings the database to its schema and ends.
FROM eclipse-temurin:21.0.9_10-jre-noble

WORKDIR /opt/stoker
# What changes least comes first, so that a new version of Stoker is one small layer.
COPY dispatcher/target/quarkus-app/lib/ lib/
COPY dispatcher/target/quarkus-app/quarkus/ quarkus/
COPY dispatcher/target/quarkus-app/app/ app/
COPY dispatcher/target/quarkus-app/quarkus-run.jar .

# Needs no right, no home and nothing to write to but /tmp.
USER 10001:10001
EXPOSE 8080
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=70", "-XX:+ExitOnOutOfMemoryError", "-jar", "quarkus-run.jar"]
