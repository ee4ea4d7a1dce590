/**
 * Which of the devices that could serve a job does. Plain Java; {@link
 * io.stoker.agent.policy.DevicePolicy} is there to be implemented by users, too.
 */
package io.stoker.agent.policy;
