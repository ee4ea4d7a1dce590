/** What runs leave on the disk: how much they may write, and how long it stays. */
package io.stoker.agent.disk;
