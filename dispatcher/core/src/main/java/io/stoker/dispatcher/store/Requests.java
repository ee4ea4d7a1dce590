package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.List;

/** The requests. */
public interface Requests {
  /** The ids of those of these jobs that have not ended by themselves, the starting ones too. */
  Uni<List<String>> sharing(Collection<String> jobs);
}
