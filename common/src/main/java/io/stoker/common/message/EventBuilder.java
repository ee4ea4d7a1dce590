package io.stoker.common.message;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.state.FailureCategory;
import java.util.List;

/** Makes an {@link AttemptEvent}; what is not set is not said. */
public final class EventBuilder {
  private final String job;
  private final int attempt;
  private int seq = 1;
  private AttemptEvent.Type type;
  private long at;
  private List<String> devices;
  private Long startedAt;
  private AttemptEvent.Outcome outcome;
  private FailureCategory category;
  private String message;
  private Integer exitCode;
  private JsonNode progress;
  private JsonNode result;
  private AttemptEvent.Usage usage;
  private String address;
  private AttemptEvent.Warning warning;
  private Long againMs;
  private String mac;

  EventBuilder(String job, int attempt) {
    this.job = job;
    this.attempt = attempt;
  }

  EventBuilder(AttemptEvent before) {
    this(before.job(), before.attempt());
    seq = before.seq();
    type = before.type();
    at = before.at();
    devices = before.devices();
    startedAt = before.startedAt();
    outcome = before.outcome();
    category = before.category();
    message = before.message();
    exitCode = before.exitCode();
    progress = before.progress();
    result = before.result();
    usage = before.usage();
    address = before.address();
    warning = before.warning();
    againMs = before.againMs();
    mac = before.mac();
  }

  public EventBuilder seq(int next) {
    seq = next;
    return this;
  }

  public EventBuilder type(AttemptEvent.Type next) {
    type = next;
    return this;
  }

  public EventBuilder at(long next) {
    at = next;
    return this;
  }

  public EventBuilder devices(List<String> next) {
    devices = next;
    return this;
  }

  public EventBuilder startedAt(Long next) {
    startedAt = next;
    return this;
  }

  public EventBuilder outcome(AttemptEvent.Outcome next) {
    outcome = next;
    return this;
  }

  public EventBuilder category(FailureCategory next) {
    category = next;
    return this;
  }

  public EventBuilder message(String next) {
    message = next;
    return this;
  }

  public EventBuilder exitCode(Integer next) {
    exitCode = next;
    return this;
  }

  public EventBuilder progress(JsonNode next) {
    progress = next;
    return this;
  }

  public EventBuilder result(JsonNode next) {
    result = next;
    return this;
  }

  public EventBuilder usage(AttemptEvent.Usage next) {
    usage = next;
    return this;
  }

  public EventBuilder address(String next) {
    address = next;
    return this;
  }

  public EventBuilder warning(AttemptEvent.Warning next) {
    warning = next;
    return this;
  }

  public EventBuilder againMs(Long next) {
    againMs = next;
    return this;
  }

  public EventBuilder mac(String next) {
    mac = next;
    return this;
  }

  public AttemptEvent build() {
    return new AttemptEvent(
        job, attempt, seq, type, at, devices, startedAt, outcome, category, message, exitCode,
        progress, result, usage, address, warning, againMs, mac);
  }
}
