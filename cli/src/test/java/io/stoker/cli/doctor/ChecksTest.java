package io.stoker.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.doctor.Finding.Level;
import io.stoker.cli.rest.RestClient.Answer;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.topic.Topics;
import io.stoker.common.topic.Topics.Layout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChecksTest {
  private static final List<Layout> LAYOUT = new Topics("t.").layouts();

  @ParameterizedTest
  @CsvSource({"17, FAIL", "21, OK", "25, OK"})
  void anOldJavaFails(int feature, Level level) {
    assertThat(MachineCheck.java(feature).level()).isEqualTo(level);
  }

  @ParameterizedTest
  @CsvSource({"2147483648, OK", "2147483647, WARN", "268435455, FAIL", "0, FAIL"})
  void littleSpaceIsWarnedOfAndTooLittleFails(long free, Level level) {
    assertThat(MachineCheck.space(Path.of("/data"), free).level()).isEqualTo(level);
  }

  @ParameterizedTest
  @CsvSource({"1024, WARN", "4096, OK", "unlimited, OK"})
  void fewOpenFilesAreWarnedOf(String limit, Level level) {
    assertThat(MachineCheck.files(limit).level()).isEqualTo(level);
  }

  @Test
  void anAgentThatIsNotBelievedFails() throws MalformedJson {
    JsonNode one = Json.read("{\"host\":\"h1\",\"reason\":\"it has no key\"}");

    assertThat(DispatcherCheck.ignored(List.of(one)))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.FAIL);
              assertThat(finding.check()).isEqualTo("host h1");
              assertThat(finding.found()).isEqualTo("it has no key");
            });
  }

  @Test
  void whereUpCannotWorkIsAFailure() throws Exception {
    Path file = Files.createTempFile("stoker-doctor", ".file");
    try {
      List<Finding> machine =
          new MachineCheck(file.resolve("data"), Map.of(), Path.of("/proc")).run();
      assertThat(machine)
          .anyMatch(one -> one.level() == Level.FAIL && one.found().equals(file + " is a file"));
    } finally {
      Files.delete(file);
    }
    assertThat(UpCheck.postgres(Optional.of("no PostgreSQL for this machine")).level())
        .isEqualTo(Level.FAIL);
    assertThat(UpCheck.postgres(Optional.empty()).level()).isEqualTo(Level.OK);
  }

  @Test
  void aDriverWithoutItsLibraryFailsAndNoDriverDoesNot() throws MalformedJson {
    JsonNode none = Json.read("{\"state\":\"NO_GPU\",\"reason\":\"cannot be loaded\",\"gpus\":[]}");

    assertThat(GpuCheck.nvml(none, true))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.FAIL);
              assertThat(finding.found()).isEqualTo("cannot be loaded");
              assertThat(finding.remedy()).contains("--gpus all");
            });
    assertThat(GpuCheck.nvml(none, false))
        .singleElement()
        .extracting(Finding::level)
        .isEqualTo(Level.OK);
  }

  @Test
  void eachGpuIsToldWithItsTrouble() throws MalformedJson {
    JsonNode report =
        Json.read(
            """
            {"state":"READY","versions":{"nvml":"13.580","driver":"580.1","cuda":"13.0"},"gpus":[
             {"index":0,"uuid":"GPU-1","model":"H100","memory":85899345920,"used":1073741824},
             {"index":1,"uuid":"GPU-2","model":"H100","memory":85899345920,"used":0,
              "slowed":"it is too hot"},
             {"index":2,"trouble":"GPU is lost"}]}
            """);

    List<Finding> findings = GpuCheck.nvml(report, true);
    assertThat(GpuCheck.groups(report)).as("an agent of an earlier version").isEmpty();
    assertThat(
            GpuCheck.groups(Json.read("{\"cgroups\": \"none: x\", \"isolation\": \"jobs can\"}")))
        .extracting(Finding::found)
        .containsExactly("none: x", "jobs can");

    assertThat(findings)
        .extracting(Finding::level)
        .containsExactly(Level.OK, Level.OK, Level.WARN, Level.FAIL);
    assertThat(findings.get(0).found()).isEqualTo("13.580, driver 580.1, CUDA up to 13.0");
    assertThat(findings.get(1).found()).isEqualTo("H100, 80 GiB, 1.0 used, GPU-1");
    assertThat(findings.get(3).check()).isEqualTo("GPU 2");
  }

  @Test
  void topicsAreJudgedByTheirLayout() {
    Map<String, Integer> partitions = new TreeMap<>();
    Map<String, String> policies = new TreeMap<>();
    for (Layout topic : LAYOUT) {
      partitions.put(topic.name(), topic.partitions());
      policies.put(
          topic.name(), topic.settings().getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "delete"));
    }
    assertThat(KafkaCheck.layout(LAYOUT, partitions, policies).level()).isEqualTo(Level.OK);

    partitions.put("t.heartbeats", 3);
    policies.put("t.status", "delete");
    Finding wrong = KafkaCheck.layout(LAYOUT, partitions, policies);

    assertThat(wrong.level()).isEqualTo(Level.FAIL);
    assertThat(wrong.found())
        .contains("t.heartbeats has 3 partitions, expected 1")
        .contains("t.status is kept by delete, expected compact");
  }

  @Test
  void topicsThatTakeZippedRecordsAreToldOf() {
    Map<String, String> compressions = new TreeMap<>();
    LAYOUT.forEach(topic -> compressions.put(topic.name(), "uncompressed"));
    compressions.put("t.status", "producer");
    assertThat(KafkaCheck.zipped(LAYOUT, compressions)).isEmpty();

    compressions.put("t.events", "producer");
    Finding wrong = KafkaCheck.zipped(LAYOUT, compressions).orElseThrow();

    assertThat(wrong.level()).isEqualTo(Level.WARN);
    assertThat(wrong.found()).endsWith(": t.events");
  }

  @Test
  void morePartitionsOfWhatIsSpreadAreFine() {
    Map<String, Integer> partitions = new TreeMap<>();
    Map<String, String> policies = new TreeMap<>();
    for (Layout topic : LAYOUT) {
      partitions.put(topic.name(), topic.partitions() == 1 ? 1 : 100);
      policies.put(
          topic.name(), topic.settings().getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "delete"));
    }

    assertThat(KafkaCheck.layout(LAYOUT, partitions, policies).level()).isEqualTo(Level.OK);
  }

  @Test
  void issuerOfLogins_isToldOf_whereThereIsOne() throws MalformedJson {
    String checks = "{\"status\":\"UP\",\"checks\":[{\"name\":\"logins\",\"status\":\"UP\"%s}]}";
    String issuer = ",\"data\":{\"issuer\":\"https://sso\"}";
    String away = ",\"data\":{\"issuer\":\"https://sso\",\"problem\":\"it is away\"}";

    assertThat(DispatcherCheck.logins(Json.read(checks.formatted("")))).isEmpty();
    assertThat(DispatcherCheck.logins(Json.read(checks.formatted(issuer))))
        .extracting(Finding::level, Finding::found)
        .containsExactly(tuple(Level.OK, "https://sso answers, and its keys are read"));
    assertThat(DispatcherCheck.logins(Json.read(checks.formatted(away))))
        .extracting(Finding::level, Finding::found)
        .containsExactly(tuple(Level.FAIL, "it is away"));
  }

  @Test
  void whatADispatcherCannotReachIsNamed() throws MalformedJson {
    JsonNode health =
        Json.read(
            """
            {"status":"DOWN","checks":[{"name":"messaging","status":"UP"},
             {"name":"PostgreSQL","status":"DOWN","data":{"default":"refused"}}]}
            """);

    assertThat(DispatcherCheck.health(health))
        .extracting(Finding::level)
        .containsExactly(Level.OK, Level.FAIL);
    JsonNode schemas =
        Json.read(
            """
            {"status":"DOWN","checks":[{"name":"schema","status":"UP","data":{"version":"2.91"}},
             {"name":"schema","status":"DOWN","data":{"problem":"it is empty: run stoker migrate"}}]}
            """);
    assertThat(DispatcherCheck.health(schemas))
        .extracting(Finding::found)
        .containsExactly("up, version 2.91", "it is empty: run stoker migrate");
    Answer elsewhere = new Answer(404, Json.read("{\"status\":404}"));
    assertThat(DispatcherCheck.health(elsewhere))
        .extracting(Finding::level)
        .containsExactly(Level.WARN);
    assertThat(DispatcherCheck.health(Json.read("{}")))
        .extracting(Finding::level)
        .containsExactly(Level.FAIL);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'alive':true,'heartbeatAgeMs':100,'version':'1'} | OK",
        "{'alive':true,'heartbeatAgeMs':100,'version':'0'} | WARN",
        "{'alive':true,'heartbeatAgeMs':11000,'version':'1'} | WARN",
        "{'alive':false,'heartbeatAgeMs':90000,'version':'1'} | FAIL",
        "{'alive':false,'version':'1'} | FAIL",
        "{'alive':true,'heartbeatAgeMs':1,'version':'1','suspect':true,'reason':'x'} | WARN",
        "{'alive':true,'heartbeatAgeMs':1,'version':'1','resources':{'problem':'x'}} | WARN",
        "{'alive':true,'heartbeatAgeMs':1,'version':'1','resources':{'refuses':'x'}} | WARN",
        "{'alive':true,'heartbeatAgeMs':1,'version':'1','resources':{'devices':[{'id':'0','state':'UNHEALTHY'}]}}"
            + " | WARN"
      },
      quoteCharacter = '"')
  void hostsAreJudgedByWhatIsHeardOfThem(String host, Level level) throws MalformedJson {
    JsonNode tree = Json.read(host.replace('\'', '"'));

    assertThat(DispatcherCheck.hosts(List.of(tree), "1"))
        .singleElement()
        .extracting(Finding::level)
        .isEqualTo(level);
  }

  @Test
  void hosts_thatSayHowTheyKeepJobs_areShownSo() throws Exception {
    JsonNode host =
        Json.read(
            """
            {"host":"a","alive":true,"heartbeatAgeMs":1,"version":"1",
             "resources":{"devices":[],"cpuSlots":4,"keeps":"as ml, no new privileges"}}
            """);

    assertThat(DispatcherCheck.hosts(List.of(host), "1"))
        .singleElement()
        .extracting(Finding::found)
        .isEqualTo("0 GPUs, 4 CPU slots, agent 1, jobs run as ml, no new privileges");
  }

  @Test
  void aFleetWithoutAgentsIsWarnedOf() {
    assertThat(DispatcherCheck.hosts(List.of(), "1"))
        .singleElement()
        .extracting(Finding::level)
        .isEqualTo(Level.WARN);
  }
}
