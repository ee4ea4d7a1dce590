/** Runs jobs as containers, by the command line of an OCI engine. */
package io.stoker.agent.container;
