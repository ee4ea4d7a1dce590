package io.stoker.common.message;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import io.stoker.common.json.RecordWriter;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.request.Resources;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes a {@link ToAgent.Place} in the form of {@link PlaceForm}. */
final class PlaceWriter extends RecordWriter<ToAgent.Place> {
  PlaceWriter() {
    super(ToAgent.Place.class);
  }

  @Override
  protected void components(ToAgent.Place place, JsonGenerator to, SerializerProvider with)
      throws IOException {
    Workload workload = place.workload();
    Program program = place.program();
    Gpus node = workload instanceof Workload.Remote remote ? remote.gpus() : Gpus.NONE;
    Gpus own = workload.share().gpus();
    Gpus gpus = workload instanceof Workload.Remote ? node : own;
    text(to, "job", place.job());
    to.writeNumberField("attempt", place.attempt());
    text(to, "token", place.token());
    to.writeNumberField("notAfter", place.notAfter());
    text(to, "request", place.request());
    texts(to, "command", program.command());
    if (!place.params().isMissingNode()) {
      node(to, "params", place.params(), with);
    }
    other(to, "env", program.env(), with);
    text(to, "workdir", program.workdir().orElse(null));
    text(to, "kind", program.claim().kind().orElse(null));
    text(to, "queue", queue(workload, program).orElse(null));
    text(to, "sentBy", program.claim().sentBy().orElse(null));
    if (!program.claim().secrets().isEmpty()) {
      other(to, "secrets", program.claim().secrets(), with);
    }
    if (program.claim().offline()) {
      text(to, "network", Resources.NO_NETWORK);
    }
    to.writeNumberField("gpus", own.count());
    bytes(to, "gpuMemory", gpus.memory());
    to.writeBooleanField("shared", gpus.shared());
    to.writeNumberField("cpuSlots", workload.share().cpuSlots());
    text(to, "device", gpus.device().orElse(null));
    texts(to, "avoid", workload.share().avoid());
    number(to, "timeoutMs", place.timeoutMs());
    text(to, "group", place.given().group().orElse(null));
    other(to, "dependencies", place.given().dependencies(), with);
    if (workload instanceof Workload.Staged) {
      to.writeBooleanField("staged", true);
    }
    if (program.gated()) {
      to.writeBooleanField("gated", true);
    }
    bytes(to, "memory", program.memory());
    if (place.priority() != 0) {
      to.writeNumberField("priority", place.priority());
    }
    if (workload instanceof Workload.PoolTask task) {
      text(to, "pool", task.pool());
    }
    other(to, "gang", place.gang(), with);
    text(to, "runner", workload.runner().orElse(null));
    if (workload instanceof Workload.Container container) {
      text(to, "image", container.image());
    }
    if (node.count() > 0) {
      to.writeNumberField("nodeGpus", node.count());
    }
    if (place.lookAhead().isPresent()) {
      other(to, "lookAhead", place.lookAhead().get(), with);
    }
  }

  private static Optional<String> queue(Workload workload, Program program) {
    return workload instanceof Workload.PoolTask task ? task.queue() : program.claim().queue();
  }

  private static void bytes(JsonGenerator to, String name, OptionalLong number) throws IOException {
    if (number.isPresent()) {
      to.writeNumberField(name, number.getAsLong());
    }
  }
}
