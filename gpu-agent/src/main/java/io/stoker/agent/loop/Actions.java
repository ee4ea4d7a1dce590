package io.stoker.agent.loop;

import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Now;

/** Carries effects out; on the loop's thread, in order. Fails only if the agent must not go on. */
interface Actions {
  void perform(Effect effect, Now now) throws Exception;
}
