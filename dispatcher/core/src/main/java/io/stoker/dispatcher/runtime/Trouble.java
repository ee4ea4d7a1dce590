package io.stoker.dispatcher.runtime;

/**
 * Something that a step fails for each time.
 *
 * @param step what is done, such as {@code timers}
 * @param item what it is done for, within the step
 * @param tries that counted: it failed alone while a neighbour succeeded
 * @param aside whether it is set aside: the step goes on without it, and tries it slowly
 * @param ended whether it was given up, so that nothing of it is left to be done
 * @param since when it failed first, ms since 1970
 * @param last when it failed last
 * @param next when it is tried again
 * @param reason why it failed last, for people
 */
public record Trouble(
    String step,
    String item,
    int tries,
    boolean aside,
    boolean ended,
    long since,
    long last,
    long next,
    String reason) {
  /** Says it in a sentence. */
  String said() {
    String how = ended ? "is given up" : aside ? "is set aside" : "fails";
    return "%s: %s %s: %s".formatted(step, item, how, reason);
  }

  /** The same, once it was given up. */
  public Trouble given() {
    return new Trouble(step, item, tries, aside, true, since, last, next, reason);
  }
}
