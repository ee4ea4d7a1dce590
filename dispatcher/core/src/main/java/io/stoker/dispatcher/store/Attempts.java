package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.AttemptRow;
import java.util.List;

/** The open attempts. */
public interface Attempts {
  /** Everything open; as many rows as the fleet has devices and slots. */
  Uni<List<AttemptRow>> all();

  /**
   * Attempts whose agents still have to be told something: accept it, start it, end it, or what a
   * person says of it.
   */
  Uni<List<AttemptRow>> untold();

  /** The jobs that have attempts on a host. */
  Uni<List<String>> jobsOn(String host);
}
