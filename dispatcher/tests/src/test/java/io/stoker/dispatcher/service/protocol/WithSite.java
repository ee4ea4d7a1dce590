package io.stoker.dispatcher.service.protocol;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What all tests of the protocol have: what surrounds the dispatcher. */
abstract class WithSite {
  Site site;

  @BeforeEach
  void openSite() {
    site = new Site();
  }

  @AfterEach
  void closeSite() {
    site.close();
  }
}
