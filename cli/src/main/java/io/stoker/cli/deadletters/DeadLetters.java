package io.stoker.cli.deadletters;

import io.stoker.cli.kafka.TopicScan;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** The records that were set aside because they are wrong. */
public record DeadLetters(KafkaAccess kafka, Topics topics) {
  /**
   * Some of them.
   *
   * @param letters the newest last
   * @param more whether there are older ones, or may be
   */
  public record Found(List<DeadLetter> letters, boolean more) {}

  /**
   * The newest that are wanted.
   *
   * @param wanted empty = all of them
   * @param most how many at most
   */
  public Found newest(Optional<Instant> since, Optional<Predicate<DeadLetter>> wanted, int most) {
    boolean[] dropped = {false};
    // Without a wish the end of each partition is enough; one more tells that there are more.
    OptionalLong last = wanted.isPresent() ? OptionalLong.empty() : OptionalLong.of(most + 1L);
    List<DeadLetter> all = new ArrayList<>();
    TopicScan.read(
        kafka,
        topics.deadLetters(),
        since,
        last,
        record -> {
          DeadLetter letter = DeadLetter.of(record);
          if (wanted.isEmpty() || wanted.get().test(letter)) {
            all.add(letter);
          }
          if (all.size() > 2 * most + 1_000) {
            dropped[0] |= keepNewest(all, most);
          }
        });
    dropped[0] |= keepNewest(all, most);
    return new Found(List.copyOf(all), dropped[0]);
  }

  private static boolean keepNewest(List<DeadLetter> all, int most) {
    all.sort(Comparator.comparing(DeadLetter::at));
    int over = Math.max(0, all.size() - most);
    all.subList(0, over).clear();
    return over > 0;
  }

  /** Those of requests, which were refused with them. */
  public Found refused(Optional<Instant> since, Predicate<DeadLetter> wanted, int most) {
    String requests = topics.requests();
    return newest(
        since,
        Optional.of(
            letter ->
                (letter.topic().equals(requests) || letter.topic().startsWith(requests + "."))
                    && wanted.test(letter)),
        most);
  }
}
