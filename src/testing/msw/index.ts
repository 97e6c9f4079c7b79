/**
 * Request handlers for msw 3 that answer from a sandbox, for tests that mock the network with it.
 *
 * @module settlekit/testing/msw
 */
export { type SandboxHandlersOptions, sandboxHandlers } from "./sandbox-handlers.ts";
