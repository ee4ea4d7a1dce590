package io.stoker.agent.metrics;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import java.util.function.Function;

/** Says in the words of Prometheus how an agent is. */
final class AgentMetrics {
  private static final String[] STATES = {"OK", "SUSPECT", "CLEANING", "UNHEALTHY", "QUARANTINED"};
  private static final double PERCENT = 100;
  private static final double PER_THOUSAND = 1_000;

  private final PrometheusText text = new PrometheusText();
  private final AgentView view;

  private AgentMetrics(AgentView view) {
    this.view = view;
  }

  static String of(AgentView view) {
    AgentMetrics metrics = new AgentMetrics(view);
    metrics.agent();
    metrics.devices();
    metrics.attempts();
    return metrics.text.toString();
  }

  private void agent() {
    text.metric("stoker_agent_info", "gauge", "Always 1: which agent this is.")
        .sample(
            "stoker_agent_info",
            1,
            "host",
            view.agent().host(),
            "fleet",
            view.agent().fleet(),
            "version",
            view.agent().version(),
            "policy",
            view.resources().policy() == null ? "" : view.resources().policy());
    gauge(
        "stoker_agent_welcomed",
        "1 once a dispatcher has welcomed this agent, 0 before.",
        view.figures().epoch().isPresent() ? 1 : 0);
    gauge(
        "stoker_agent_takes_jobs",
        "1 while this agent takes jobs, 0 while something that it needs does not work.",
        view.resources().refuses() == null ? 1 : 0);
    gauge(
        "stoker_agent_lease_seconds",
        "How long jobs may run on if no heartbeat is acknowledged any more.",
        view.leaseMs() / PER_THOUSAND);
    gauge(
        "stoker_agent_events_unsent", "Events that wait for the broker.", view.sending().unsent());
    text.metric(
            "stoker_agent_logs_dropped_total",
            "counter",
            "Pieces of jobs' output that the broker did not take off in time.")
        .sample("stoker_agent_logs_dropped_total", view.sending().logsDropped());
    gauge(
        "stoker_agent_reports_kept",
        "Ends that the dispatcher has not closed yet.",
        view.figures().reportsKept());
    gauge("stoker_agent_journal_bytes", "Size of the journal.", view.disk().journal());
    gauge("stoker_agent_disk_free_bytes", "Free where the agent's data are.", view.disk().free());
    gauge("stoker_agent_cpu_slots", "CPU jobs at once.", view.resources().cpuSlots());
    gauge("stoker_agent_cpu_slots_taken", "CPU slots given.", view.figures().cpuSlotsTaken());
  }

  private void gauge(String name, String help, double value) {
    text.metric(name, "gauge", help).sample(name, value);
  }

  private void devices() {
    String state = "stoker_agent_device_state";
    text.metric(state, "gauge", "1 for the state that the device is in.");
    for (DeviceInfo device : view.resources().devices()) {
      String now = device.state() == null ? "OK" : device.state();
      for (String one : STATES) {
        text.sample(state, one.equals(now) ? 1 : 0, "device", device.id(), "state", one);
      }
    }
    String memory = "stoker_agent_device_memory_bytes";
    text.metric(memory, "gauge", "Memory of the device.");
    for (DeviceInfo device : view.resources().devices()) {
      text.sample(
          memory,
          device.memory(),
          "device",
          device.id(),
          "uuid",
          device.uuid(),
          "model",
          device.model() == null ? "" : device.model());
    }
    measured("memory_used_bytes", "Memory in use.", DeviceTelemetry::memoryUsed, 1);
    measured(
        "utilization_ratio", "How busy it is, 0 to 1.", DeviceTelemetry::gpuUtilization, PERCENT);
    measured("temperature_celsius", "How hot it is.", DeviceTelemetry::temperature, 1);
    measured("power_watts", "What it draws.", DeviceTelemetry::power, PER_THOUSAND);
  }

  /** What a device does not tell is left out. */
  private void measured(
      String what, String help, Function<DeviceTelemetry, Number> figure, double unit) {
    String name = "stoker_agent_device_" + what;
    text.metric(name, "gauge", help);
    for (DeviceTelemetry device : view.telemetry()) {
      Number value = figure.apply(device);
      if (value != null) {
        text.sample(name, value.doubleValue() / unit, "device", device.id());
      }
    }
  }

  private void attempts() {
    text.metric("stoker_agent_attempts", "gauge", "Attempts that have not ended.");
    view.figures()
        .attempts()
        .forEach((state, count) -> text.sample("stoker_agent_attempts", count, "state", state));
    gauge(
        "stoker_agent_attempts_idle",
        "Of them, those whose GPUs do next to nothing for longer than they should.",
        view.figures().idle());
    EndedTotals.Sums ended = view.ended();
    String ends = "stoker_agent_attempts_ended_total";
    text.metric(ends, "counter", "Attempts that have ended.");
    ended
        .ended()
        .forEach(
            (how, count) ->
                text.sample(
                    ends, count, "outcome", how.outcome().name(), "category", how.category()));
    String seconds = "stoker_agent_usage_seconds_total";
    text.metric(seconds, "counter", "What ended attempts took.")
        .sample(seconds, ended.wallSeconds(), "of", "wall")
        .sample(seconds, ended.cpuSeconds(), "of", "cpu")
        .sample(seconds, ended.gpuSeconds(), "of", "gpu");
    text.metric("stoker_agent_usage_joules_total", "counter", "Energy that their devices took.")
        .sample("stoker_agent_usage_joules_total", ended.joules());
    gauge(
        "stoker_agent_peak_memory_bytes",
        "Host memory that one of them took at most.",
        ended.peakMemory());
    gauge(
        "stoker_agent_peak_gpu_memory_bytes",
        "GPU memory that one of them took at most.",
        ended.peakGpuMemory());
  }
}
