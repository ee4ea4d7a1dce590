/** Secrets that this host gives jobs by their name, and their masks in what jobs print. */
package io.stoker.agent.secret;
