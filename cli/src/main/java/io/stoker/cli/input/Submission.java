package io.stoker.cli.input;

import io.stoker.common.request.JobRequest;
import java.nio.charset.StandardCharsets;

/**
 * A request that the dispatcher would accept, ready to be sent.
 *
 * @param body its JSON, with the id in it
 */
public record Submission(String id, byte[] body) {
  /** A valid request as it is sent. */
  public static Submission of(JobRequest request) {
    return new Submission(request.id(), request.spec().getBytes(StandardCharsets.UTF_8));
  }
}
