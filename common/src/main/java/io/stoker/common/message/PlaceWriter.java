package io.stoker.common.message;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import io.stoker.common.json.RecordWriter;
import java.io.IOException;

/** Writes a {@link ToAgent.Place}. */
final class PlaceWriter extends RecordWriter<ToAgent.Place> {
  PlaceWriter() {
    super(ToAgent.Place.class);
  }

  @Override
  protected void components(ToAgent.Place place, JsonGenerator to, SerializerProvider with)
      throws IOException {
    text(to, "job", place.job());
    to.writeNumberField("attempt", place.attempt());
    text(to, "token", place.token());
    to.writeNumberField("notAfter", place.notAfter());
    text(to, "request", place.request());
    texts(to, "command", place.command());
    node(to, "params", place.params(), with);
    other(to, "env", place.env(), with);
    text(to, "workdir", place.workdir());
    to.writeNumberField("gpus", place.gpus());
    number(to, "gpuMemory", place.gpuMemory());
    to.writeBooleanField("shared", place.shared());
    to.writeNumberField("cpuSlots", place.cpuSlots());
    text(to, "device", place.device());
    texts(to, "avoid", place.avoid());
    number(to, "timeoutMs", place.timeoutMs());
    text(to, "group", place.group());
    other(to, "dependencies", place.dependencies(), with);
    flag(to, "staged", place.staged());
    flag(to, "gated", place.gated());
    number(to, "memory", place.memory());
    number(to, "priority", place.priority());
    text(to, "pool", place.pool());
    other(to, "gang", place.gang(), with);
    text(to, "runner", place.runner());
    text(to, "image", place.image());
    number(to, "nodeGpus", place.nodeGpus());
    other(to, "lookAhead", place.lookAhead(), with);
  }
}
