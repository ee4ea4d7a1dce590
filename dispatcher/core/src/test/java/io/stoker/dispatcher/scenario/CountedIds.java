package io.stoker.dispatcher.scenario;

import io.stoker.dispatcher.model.Ids;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Ids that are the same in every run: {@code job-1}, {@code job-2}. */
public final class CountedIds implements Ids {
  private int jobs;
  private int tokens;

  @Override
  public String job(long now) {
    return "job-" + ++jobs;
  }

  @Override
  public String token() {
    String key = "token-" + ++tokens;
    return Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
  }
}
