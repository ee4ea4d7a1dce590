package io.stoker.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.rest.RestClient;
import java.util.ArrayList;
import java.util.List;

/**
 * A dispatcher, the database behind it, and the hosts that it hears.
 *
 * @param version of this command
 */
record DispatcherCheck(RestClient rest, String version) {
  private static final String DISPATCHER = "dispatcher";
  private static final String HOSTS = "hosts";
  private static final String LOGINS = "logins";
  private static final int NOT_FOUND = 404;
  private static final long SILENT_MILLIS = 10_000;

  List<Finding> run() {
    List<Finding> findings = new ArrayList<>();
    try (rest) {
      findings.addAll(health(rest.get("/q/health/ready")));
      findings.addAll(logins(rest));
      Fleet.Heard heard = new Fleet(rest).heard();
      findings.addAll(hosts(heard.hosts(), version));
      findings.addAll(ignored(heard.ignored()));
      findings.addAll(setAside(rest));
    } catch (CliException e) {
      findings.add(
          Finding.fail(
              DISPATCHER,
              e.getMessage(),
              "is it running, is STOKER_URL right? Its log says why it does not serve"));
    }
    return findings;
  }

  static List<Finding> health(RestClient.Answer ready) {
    return ready.status() == NOT_FOUND
        ? List.of(
            Finding.warn(
                DISPATCHER,
                "its health is not beside its REST, and was not looked at",
                "where it has a stoker.http.management-port, ask /q/health/ready there"))
        : health(ready.body());
  }

  static List<Finding> health(JsonNode health) {
    List<Finding> findings = new ArrayList<>();
    health
        .path("checks")
        .forEach(
            check -> {
              String name = DISPATCHER + ": " + check.path("name").asText();
              findings.add(
                  check.path("status").asText().equals("UP")
                      ? Finding.ok(name, up(check.path("data")))
                      : Finding.fail(
                          name,
                          down(check.path("data")),
                          "see to what it names; the dispatcher goes on by itself then"));
            });
    if (findings.isEmpty()) {
      findings.add(
          Finding.fail(DISPATCHER, "it tells nothing of its health", "is this a dispatcher?"));
    }
    return findings;
  }

  /** By an issuer, if there is one; a dispatcher of the build before does not tell. */
  private static List<Finding> logins(RestClient rest) {
    try {
      return logins(rest.get("/q/health/well").body());
    } catch (CliException e) {
      return List.of();
    }
  }

  static List<Finding> logins(JsonNode wellness) {
    List<Finding> findings = new ArrayList<>();
    for (JsonNode check : wellness.path("checks")) {
      JsonNode data = check.path("data");
      if (data.path("problem").isTextual()) {
        findings.add(
            Finding.fail(
                LOGINS,
                data.path("problem").asText(),
                "see to it there, or to stoker.oidc.issuer, stoker.oidc.ca and the clocks; tokens"
                    + " are taken meanwhile"));
      } else if (data.path("issuer").isTextual()) {
        findings.add(
            Finding.ok(LOGINS, data.path("issuer").asText() + " answers, and its keys are read"));
      }
    }
    return findings;
  }

  /** With the version of what is looked at, where it has one. */
  private static String up(JsonNode data) {
    return data.path("version").isTextual() ? "up, version " + data.path("version").asText() : "up";
  }

  private static String down(JsonNode data) {
    return data.path("problem").isTextual() ? data.path("problem").asText() : "down " + data;
  }

  /** What fails each time; a dispatcher of the build before does not tell. */
  private static List<Finding> setAside(RestClient rest) {
    try {
      return setAside(rest.get("/set-aside").body());
    } catch (CliException e) {
      return List.of();
    }
  }

  static List<Finding> setAside(JsonNode answer) {
    List<Finding> findings = new ArrayList<>();
    for (JsonNode item : answer.path("items")) {
      String how =
          switch (item.path("how").asText()) {
            case "ASIDE" -> "set aside until " + item.path("nextAt").asText();
            case "ENDED" -> "given up, its request has ended";
            default -> "fails since " + item.path("since").asText();
          };
      findings.add(
          Finding.warn(
              "set aside: " + item.path("step").asText(),
              "%s: %s: %s".formatted(item.path("item").asText(), how, item.path("reason").asText()),
              "the rest goes on; after a fix or an update it is tried again by itself"));
    }
    return findings.isEmpty() ? List.of(Finding.ok("set aside", "nothing")) : findings;
  }

  static List<Finding> ignored(List<JsonNode> agents) {
    return agents.stream()
        .map(
            one ->
                Finding.fail(
                    "host " + one.path("host").asText(),
                    one.path("reason").asText(),
                    "give it the key that follows from the dispatchers' stoker.host-secret and its"
                        + " name: docs/security.md, Host keys"))
        .toList();
  }

  static List<Finding> hosts(List<JsonNode> hosts, String version) {
    if (hosts.isEmpty()) {
      return List.of(
          Finding.warn(HOSTS, "no agent has registered", "start one on each box: stoker agent"));
    }
    List<Finding> findings = new ArrayList<>();
    hosts.forEach(host -> findings.add(host(host, version)));
    return findings;
  }

  private static String keeps(JsonNode told) {
    return told.isTextual() ? ", jobs run " + told.textValue() : "";
  }

  private static Finding host(JsonNode host, String version) {
    String name = "host " + host.path("host").asText();
    long silent = host.path("heartbeatAgeMs").asLong(Long.MAX_VALUE);
    if (host.path("rival").isObject()) {
      JsonNode rival = host.path("rival");
      return Finding.fail(
          name,
          "its name is asked for by another agent, %s, journal %s, too, which is told: %s"
              .formatted(
                  rival.path("machine").asText("on a machine that it does not tell"),
                  rival.path("journal").asText(),
                  rival.path("reason").asText()),
          "give one of the two another name: stoker.agent.host");
    }
    if (host.path("unsettled").isTextual()) {
      return Finding.fail(
          name,
          "nothing is placed anywhere, as the database was restored and this host "
              + host.path("unsettled").asText(),
          "start its agent; if the machine is gone for good: stoker drain %s --dead"
              .formatted(host.path("host").asText()));
    }
    if (host.path("state").asText().equals("HELD")) {
      return Finding.fail(
          name,
          host.path("reason").asText("messages in its name are refused for their key"),
          "give its agent the key that follows from stoker.host-secret and its name"
              + " (docs/security.md, Host keys); if the machine is off for certain:"
              + " stoker drain %s --dead".formatted(host.path("host").asText()));
    }
    if (!host.path("alive").asBoolean()) {
      return Finding.fail(
          name,
          silent == Long.MAX_VALUE ? "never heard of" : "not heard of for " + silent / 1000 + " s",
          "is its agent running, and does it reach Kafka? stoker doctor there tells more");
    }
    List<String> bad = new ArrayList<>();
    for (JsonNode device : host.at("/resources/devices")) {
      if (!device.path("state").asText("OK").equals("OK")) {
        bad.add(
            "%s %s: %s"
                .formatted(
                    device.path("id").asText(),
                    device.path("state").asText(),
                    device.path("reason").asText()));
      }
    }
    if (!bad.isEmpty()) {
      return Finding.warn(name, String.join("; ", bad), "jobs are kept off them until they are OK");
    }
    if (host.path("suspect").asBoolean()) {
      return Finding.warn(
          name,
          host.path("reason").asText(),
          "see to it there; stoker explain ID tells what was tried");
    }
    if (host.at("/resources/problem").isTextual()) {
      String called = host.path("host").asText();
      return Finding.warn(
          name,
          host.at("/resources/problem").asText(),
          "it goes on with what it had; to end this: stoker devices %s --configured, or stoker policy %s --configured"
              .formatted(called, called));
    }
    if (host.at("/resources/refuses").isTextual()) {
      return Finding.warn(
          name,
          "takes nothing new for now: " + host.at("/resources/refuses").asText(),
          "see to it there; it takes jobs again by itself");
    }
    if (silent > SILENT_MILLIS) {
      return Finding.warn(
          name,
          "not heard of for " + silent / 1000 + " s",
          "is its link or its machine overloaded?");
    }
    String agent = host.path("version").asText();
    String found =
        "%d GPUs, %d CPU slots, agent %s%s"
            .formatted(
                host.at("/resources/devices").size(),
                host.at("/resources/cpuSlots").asInt(),
                agent,
                keeps(host.at("/resources/keeps")));
    return agent.equals(version)
        ? Finding.ok(name, found)
        : Finding.warn(
            name, found + ", this is " + version, "neighbouring versions work together; update it");
  }
}
