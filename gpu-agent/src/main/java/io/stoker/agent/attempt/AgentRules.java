package io.stoker.agent.attempt;

/**
 * What a decider goes by, beside what the dispatcher tells it. All times in ms.
 *
 * @param helloEvery between hellos that are not answered
 * @param grace between SIGTERM and SIGKILL
 * @param progressEvery shortest time between two progress events of an attempt
 * @param keepReports how long a terminal report is kept that the dispatcher never closes
 * @param floorMargin how long after its {@code notAfter} a forgotten attempt is still refused, for
 *     estimates of the dispatcher's clock that differ
 */
public record AgentRules(
    long helloEvery, long grace, long progressEvery, long keepReports, long floorMargin) {

  public static AgentRules standard() {
    return new AgentRules(2_000, 10_000, 1_000, 3 * 86_400_000L, 120_000);
  }

  public AgentRules withGrace(long ms) {
    return new AgentRules(helloEvery, ms, progressEvery, keepReports, floorMargin);
  }
}
