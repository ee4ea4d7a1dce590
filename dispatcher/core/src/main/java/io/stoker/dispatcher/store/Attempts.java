package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.List;

/** The open attempts. */
public interface Attempts {
  /** The jobs that have attempts on a host. */
  Uni<List<String>> jobsOn(String host);
}
