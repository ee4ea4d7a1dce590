package io.stoker.dispatcher.service.audit;

import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.stoker.common.json.Json;
import io.stoker.common.message.AuditEntry;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.coordinator.control.ControlAudit;
import io.stoker.dispatcher.coordinator.record.Received;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.Optional;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.OnOverflow;
import org.jboss.logging.Logger;

/**
 * Writes who has changed what to the audit topic. Nothing waits for it: what cannot be written is
 * said in the log in its place, and counted.
 */
@ApplicationScoped
public class AuditLog implements ControlAudit {
  private static final Logger LOG = Logger.getLogger(AuditLog.class);
  private static final int WAITING = 4096;
  private static final int LONGEST = 512;

  private final MutinyEmitter<byte[]> emitter;
  private final MeterRegistry meters;

  AuditLog(
      @Channel("audit") @OnOverflow(value = OnOverflow.Strategy.BUFFER, bufferSize = WAITING)
          MutinyEmitter<byte[]> emitter,
      MeterRegistry meters) {
    this.emitter = emitter;
    this.meters = meters;
  }

  /** Writes that somebody has called REST. */
  public void write(AuditEntry entry) {
    byte[] value = Json.bytes(entry);
    Uni.createFrom()
        .deferred(() -> emitter.sendMessage(Message.of(value)))
        .subscribe()
        .with(done -> {}, error -> lost(entry, error));
  }

  private void lost(AuditEntry entry, Throwable error) {
    meters.counter("stoker.audit.lost").increment();
    LOG.warnf("not on the audit topic (%s): %s", error, Json.text(entry));
  }

  @Override
  public void over(Received record, Optional<ControlMessage> message, Optional<String> flaw) {
    write(
        new AuditEntry(
            Instant.now().toString(),
            record.sentBy().orElse(null),
            null,
            record.topic(),
            message.map(AuditLog::what).orElse("no control message"),
            null,
            message.map(ControlMessage::id).orElse(null),
            flaw.isEmpty() ? "done" : "refused",
            flaw.map(AuditLog::cut).orElse(null)));
  }

  private static String what(ControlMessage message) {
    String about =
        switch (message) {
          case ControlMessage.Cancel one -> "cancel " + one.request();
          case ControlMessage.Retry one -> "retry " + one.request();
          case ControlMessage.Forget one ->
              "forget " + (one.request() == null ? one.fingerprint() : one.request());
          case ControlMessage.Priority one ->
              "priority %s %d".formatted(one.request(), one.priority());
          case ControlMessage.Finish one -> "finish " + one.request();
          case ControlMessage.Group one -> "group %s %s".formatted(one.action(), one.group());
          case ControlMessage.Cordon one -> "cordon " + one.host();
          case ControlMessage.Drain one ->
              "drain " + one.host() + (Boolean.TRUE.equals(one.dead()) ? " as dead" : "");
          case ControlMessage.Uncordon one -> "uncordon " + one.host();
          case ControlMessage.RotateKey one ->
              "rotate-key %s to generation %s".formatted(one.host(), one.generation());
          case ControlMessage.RevokeKey one ->
              "revoke-key %s up to generation %s".formatted(one.host(), one.generation());
          case ControlMessage.Policy one -> "policy %s %s".formatted(one.host(), one.policy());
          case ControlMessage.Devices one -> "devices %s %s".formatted(one.host(), one.devices());
          case ControlMessage.Pool one ->
              "pool %s %s %s".formatted(one.action(), one.host(), one.pool());
        };
    return cut(about);
  }

  /** What people have said may be long. */
  public static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }
}
