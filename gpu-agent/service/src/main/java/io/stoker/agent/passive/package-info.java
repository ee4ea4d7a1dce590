/** Jobs that a person does. */
package io.stoker.agent.passive;
