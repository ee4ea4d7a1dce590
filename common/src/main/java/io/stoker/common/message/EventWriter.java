package io.stoker.common.message;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import io.stoker.common.json.RecordWriter;
import java.io.IOException;

/** Writes an {@link AttemptEvent}. */
final class EventWriter extends RecordWriter<AttemptEvent> {
  EventWriter() {
    super(AttemptEvent.class);
  }

  @Override
  protected void components(AttemptEvent event, JsonGenerator to, SerializerProvider with)
      throws IOException {
    text(to, "job", event.job());
    to.writeNumberField("attempt", event.attempt());
    to.writeNumberField("seq", event.seq());
    name(to, "type", event.type());
    to.writeNumberField("at", event.at());
    texts(to, "devices", event.devices());
    number(to, "startedAt", event.startedAt());
    name(to, "outcome", event.outcome());
    name(to, "category", event.category());
    text(to, "message", event.message());
    number(to, "exitCode", event.exitCode());
    node(to, "progress", event.progress(), with);
    node(to, "result", event.result(), with);
    if (event.usage() != null) {
      to.writeFieldName("usage");
      usage(event.usage(), to);
    }
    text(to, "address", event.address());
    name(to, "warning", event.warning());
    number(to, "againMs", event.againMs());
    text(to, "mac", event.mac());
  }

  private static void usage(AttemptEvent.Usage usage, JsonGenerator to) throws IOException {
    to.writeStartObject();
    number(to, "wallMs", usage.wallMs());
    number(to, "cpuMs", usage.cpuMs());
    number(to, "peakMemory", usage.peakMemory());
    number(to, "peakGpuMemory", usage.peakGpuMemory());
    number(to, "gpuUtilization", usage.gpuUtilization());
    number(to, "gpuMs", usage.gpuMs());
    number(to, "energyMj", usage.energyMj());
    number(to, "waitedMs", usage.waitedMs());
    number(to, "loadMs", usage.loadMs());
    number(to, "trainMs", usage.trainMs());
    flag(to, "silent", usage.silent());
    text(to, "kept", usage.kept());
    to.writeEndObject();
  }
}
