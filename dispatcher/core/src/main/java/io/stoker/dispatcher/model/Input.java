package io.stoker.dispatcher.model;

import io.stoker.common.request.Dependency;
import io.stoker.common.request.Fingerprint;
import io.stoker.common.state.RequestState;

/**
 * The result of a dependency, as far as it is known.
 *
 * @param fingerprint null until it is known
 * @param job that answers it, null until it is known
 * @param end where it stands, kept only if that is an end; null until it has ended
 * @param resultBytes of its result, 0 if it has none
 */
public record Input(String fingerprint, String job, RequestState end, long resultBytes) {
  public Input {
    end = end != null && end.terminal() ? end : null;
  }

  /** What of it is in the fingerprint of who depends on it; null until that is known. */
  public String within(Dependency dependency) {
    if (!dependency.conditional()) {
      return fingerprint;
    }
    return end == null ? null : Fingerprint.ofEnd(dependency, end, job);
  }
}
