package io.stoker.common.message;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import io.stoker.common.json.RecordWriter;
import java.io.IOException;

/** Writes a {@link RequestStatus}. */
final class StatusWriter extends RecordWriter<RequestStatus> {
  StatusWriter() {
    super(RequestStatus.class);
  }

  @Override
  protected void components(RequestStatus status, JsonGenerator to, SerializerProvider with)
      throws IOException {
    text(to, "id", status.id());
    name(to, "state", status.state());
    to.writeNumberField("version", status.version());
    text(to, "job", status.job());
    text(to, "fingerprint", status.fingerprint());
    number(to, "attempt", status.attempt());
    text(to, "host", status.host());
    texts(to, "devices", status.devices());
    other(to, "members", status.members(), with);
    name(to, "code", status.code());
    text(to, "reason", status.reason());
    node(to, "progress", status.progress(), with);
    node(to, "result", status.result(), with);
    number(to, "score", status.score());
    other(to, "scores", status.scores(), with);
    number(to, "exitCode", status.exitCode());
    other(to, "usage", status.usage(), with);
    to.writeBooleanField("shared", status.shared());
    to.writeBooleanField("cached", status.cached());
    other(to, "answeredBy", status.answeredBy(), with);
    to.writeBooleanField("stopRequested", status.stopRequested());
    text(to, "queue", status.queue());
    text(to, "group", status.group());
    text(to, "sentBy", status.sentBy());
    text(to, "postedAt", status.postedAt());
    text(to, "queuedAt", status.queuedAt());
    text(to, "startedAt", status.startedAt());
    text(to, "endedAt", status.endedAt());
    number(to, "runtime", status.runtime());
    text(to, "at", status.at());
  }

  private static void number(JsonGenerator to, String name, Double value) throws IOException {
    if (value != null) {
      to.writeNumberField(name, value.doubleValue());
    }
  }
}
