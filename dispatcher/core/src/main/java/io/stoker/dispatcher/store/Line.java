package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;

/** Jobs that stand in line. */
public interface Line {
  /** How many jobs of a queue stand in line, counted no further than {@code most}. */
  Uni<Long> count(String queue, int most);
}
