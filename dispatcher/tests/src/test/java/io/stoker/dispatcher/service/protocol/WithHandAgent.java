package io.stoker.dispatcher.service.protocol;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What tests have that speak for the agent of one host. */
abstract class WithHandAgent extends WithSite {
  final String host = Site.unique("hand");
  HandAgent agent;

  @BeforeEach
  void startAgent() {
    agent = HandAgent.start(site, host);
  }

  @AfterEach
  void closeAgent() {
    agent.close();
  }
}
