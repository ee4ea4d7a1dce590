package io.stoker.dispatcher.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.security.Macs;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.model.AttemptRow;
import java.util.Base64;
import java.util.List;

/** Builds an event of an attempt as its agent would send it, signed with the attempt's token. */
public final class AnEvent {
  private final AttemptEvent.Type type;
  private final String job;
  private int attempt;
  private String host;
  private String token;
  private int seq = 1;
  private List<String> devices;
  private AttemptEvent.Outcome outcome;
  private FailureCategory category;
  private String message;
  private Integer exitCode;
  private String progress;
  private String result;
  private AttemptEvent.Usage usage;
  private String address;
  private AttemptEvent.Warning warning;

  private AnEvent(AttemptRow of, AttemptEvent.Type type) {
    this.type = type;
    job = of.job();
    attempt = of.number();
    host = of.host();
    token = of.token();
  }

  public static AnEvent of(AttemptRow attempt, AttemptEvent.Type type) {
    return new AnEvent(attempt, type);
  }

  public static AnEvent ended(AttemptRow attempt, AttemptEvent.Outcome outcome) {
    return of(attempt, AttemptEvent.Type.ENDED).outcome(outcome);
  }

  public AnEvent seq(int next) {
    seq = next;
    return this;
  }

  public AnEvent attempt(int number) {
    attempt = number;
    return this;
  }

  public AnEvent from(String sender) {
    host = sender;
    return this;
  }

  public AnEvent signedWith(String otherToken) {
    token = otherToken;
    return this;
  }

  public AnEvent devices(String... ids) {
    devices = List.of(ids);
    return this;
  }

  public AnEvent outcome(AttemptEvent.Outcome how) {
    outcome = how;
    return this;
  }

  public AnEvent category(FailureCategory why) {
    category = why;
    return this;
  }

  public AnEvent message(String sentence) {
    message = sentence;
    return this;
  }

  public AnEvent exitCode(int code) {
    exitCode = code;
    return this;
  }

  public AnEvent progress(String json) {
    progress = json;
    return this;
  }

  public AnEvent result(String json) {
    result = json;
    return this;
  }

  public AnEvent usage(AttemptEvent.Usage taken) {
    usage = taken;
    return this;
  }

  public AnEvent address(String where) {
    address = where;
    return this;
  }

  public AnEvent warning(AttemptEvent.Warning of) {
    warning = of;
    return this;
  }

  public AttemptEvent event() {
    AttemptEvent bare =
        AttemptEvent.of(job, attempt)
            .seq(seq)
            .type(type)
            .at(1)
            .devices(devices)
            .outcome(outcome)
            .category(category)
            .message(message)
            .exitCode(exitCode)
            .progress(tree(progress))
            .result(tree(result))
            .usage(usage)
            .address(address)
            .warning(warning)
            .build();
    return bare.signed(Macs.sign(Base64.getDecoder().decode(token), bare));
  }

  public AttemptReport report() {
    AttemptEvent event = event();
    return new AttemptReport(host, event, Json.tree(event), false);
  }

  private static JsonNode tree(String json) {
    try {
      return json == null ? null : Json.read(json);
    } catch (MalformedJson e) {
      throw new IllegalArgumentException("no JSON: " + json, e);
    }
  }
}
