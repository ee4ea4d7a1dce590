package io.stoker.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.attempt.Figures;
import io.stoker.agent.loop.AgentName;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class MetricsEndpointTest {
  private static final String LOCAL = "127.0.0.1";

  @Test
  void saysHowTheAgentIsInTheWordsOfPrometheus() throws Exception {
    try (MetricsEndpoint endpoint = serving(CompletableFuture.completedFuture(view()))) {
      HttpResponse<String> answer = get(endpoint, "/metrics");

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type").orElse(""))
          .startsWith("text/plain; version=0.0.4");
      assertThat(answer.body().lines().filter(line -> !line.startsWith("#")).toList())
          .containsExactly(
              "stoker_agent_info{host=\"box-1\",fleet=\"default\",version=\"0.1\",policy=\"\"} 1",
              "stoker_agent_welcomed 1",
              "stoker_agent_takes_jobs 1",
              "stoker_agent_lease_seconds 28.5",
              "stoker_agent_events_unsent 2",
              "stoker_agent_logs_dropped_total 7",
              "stoker_agent_reports_kept 3",
              "stoker_agent_journal_bytes 4096",
              "stoker_agent_disk_free_bytes 1000000000",
              "stoker_agent_cpu_slots 4",
              "stoker_agent_cpu_slots_taken 1",
              "stoker_agent_device_state{device=\"0\",state=\"OK\"} 0",
              "stoker_agent_device_state{device=\"0\",state=\"SUSPECT\"} 0",
              "stoker_agent_device_state{device=\"0\",state=\"CLEANING\"} 0",
              "stoker_agent_device_state{device=\"0\",state=\"UNHEALTHY\"} 1",
              "stoker_agent_device_state{device=\"0\",state=\"QUARANTINED\"} 0",
              "stoker_agent_device_memory_bytes{device=\"0\",uuid=\"GPU-0\",model=\"H100\"} 85899345920",
              "stoker_agent_device_memory_used_bytes{device=\"0\"} 1024",
              "stoker_agent_device_utilization_ratio{device=\"0\"} 0.93",
              "stoker_agent_device_power_watts{device=\"0\"} 310.5",
              "stoker_agent_attempts{state=\"running\"} 2",
              "stoker_agent_attempts_idle 1",
              "stoker_agent_attempts_ended_total{outcome=\"SUCCEEDED\",category=\"\"} 2",
              "stoker_agent_attempts_ended_total{outcome=\"FAILED\",category=\"GPU_OOM\"} 1",
              "stoker_agent_usage_seconds_total{of=\"wall\"} 2.5",
              "stoker_agent_usage_seconds_total{of=\"cpu\"} 1.5",
              "stoker_agent_usage_seconds_total{of=\"gpu\"} 2",
              "stoker_agent_usage_joules_total 0.25",
              "stoker_agent_peak_memory_bytes 300",
              "stoker_agent_peak_gpu_memory_bytes 500");
    }
  }

  @Test
  void anAgentThatDoesNotAnswerIsUnavailableAndNotWithoutFigures() throws Exception {
    IOException why = new IOException("it stops");
    try (MetricsEndpoint endpoint = serving(CompletableFuture.failedFuture(why))) {
      HttpResponse<String> answer = get(endpoint, "/metrics");

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("it stops");
    }
  }

  @Test
  void saysWhetherItTakesJobs() throws Exception {
    try (MetricsEndpoint endpoint = serving(CompletableFuture.completedFuture(view()))) {
      assertThat(get(endpoint, "/ready").statusCode()).isEqualTo(200);
    }
    AgentView refusing = view(refusing("the watchdog cannot be started"));
    try (MetricsEndpoint endpoint = serving(CompletableFuture.completedFuture(refusing))) {
      HttpResponse<String> answer = get(endpoint, "/ready");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).isEqualTo("takes no jobs: the watchdog cannot be started\n");
      assertThat(get(endpoint, "/metrics").body()).contains("stoker_agent_takes_jobs 0");
    }
  }

  private static HostResources refusing(String why) {
    return HostResources.of(host -> host.refuses = why);
  }

  @Test
  void nothingElseIsServed() throws Exception {
    try (MetricsEndpoint endpoint = serving(CompletableFuture.completedFuture(view()))) {
      assertThat(get(endpoint, "/metricsx").statusCode()).isEqualTo(404);
      HttpRequest post =
          HttpRequest.newBuilder(uri(endpoint, "/metrics"))
              .POST(BodyPublishers.ofString("x"))
              .build();
      assertThat(HttpClient.newHttpClient().send(post, BodyHandlers.ofString()).statusCode())
          .isEqualTo(405);
    }
  }

  @Test
  void anAddressThatIsTakenIsNamedWithItsKey() throws Exception {
    try (MetricsEndpoint first = serving(CompletableFuture.completedFuture(view()))) {
      assertThatThrownBy(() -> new MetricsEndpoint(LOCAL, first.port(), () -> null))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("stoker.agent.metrics")
          .hasMessageContaining(LOCAL + ":" + first.port());
    }
  }

  private static MetricsEndpoint serving(CompletableFuture<AgentView> view) throws IOException {
    return new MetricsEndpoint(LOCAL, 0, () -> view);
  }

  private static HttpResponse<String> get(MetricsEndpoint endpoint, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri(endpoint, path)).build(), BodyHandlers.ofString());
  }

  private static URI uri(MetricsEndpoint endpoint, String path) {
    return URI.create("http://" + LOCAL + ":" + endpoint.port() + path);
  }

  private static AgentView view() {
    return view(
        new HostResources(
            List.of(new DeviceInfo("0", "GPU-0", "H100", 80L << 30, "9.0", "UNHEALTHY", "Xid 79")),
            4,
            Map.of(),
            null));
  }

  private static AgentView view(HostResources resources) {
    EndedTotals totals = new EndedTotals();
    totals.add(
        ended(Outcome.SUCCEEDED, null, new Usage(1_000L, 500L, 300L, null, 1, 1_000L, 50L, null)));
    totals.add(ended(Outcome.SUCCEEDED, null, null));
    totals.add(
        ended(
            Outcome.FAILED,
            FailureCategory.GPU_OOM,
            new Usage(1_500L, 1_000L, 200L, 500L, 1, 1_000L, 200L, null)));
    return new AgentView(
        new AgentName("box-1", "default", "0.1"),
        resources,
        List.of(new DeviceTelemetry("0", 1024L, 93, null, 310_500)),
        new Figures(Map.of("running", 2), 3, 1, 1, OptionalLong.of(7)),
        totals.now(),
        28_500,
        new AgentView.Sending(2, 7),
        new AgentView.Disk(4096, 1_000_000_000));
  }

  private static AttemptEvent ended(Outcome outcome, FailureCategory category, Usage usage) {
    return AttemptEvent.of("j", 1)
        .seq(3)
        .type(Type.ENDED)
        .at(1)
        .devices(List.of())
        .outcome(outcome)
        .category(category)
        .exitCode(0)
        .usage(usage)
        .build();
  }
}
