package io.stoker.agent.loop;

import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Now;
import java.util.List;

/** Carries effects out; on the loop's thread, in order. Fails only if the agent must not go on. */
interface Actions {

  /**
   * Carries out all that one decision asks for. What it journals may be in the journal before
   * anything else of it happens, but for how far the placements topic has been dealt with.
   */
  void perform(List<Effect> effects, Now now) throws Exception;
}
