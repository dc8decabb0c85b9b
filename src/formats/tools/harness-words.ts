import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'

/** A text that a harness itself writes in place of a call's output, and the outcome that it tells. */
export interface HarnessWords {
  /** The beginning of the text. */
  readonly begins: string
  /** A second piece of the text, within its first `HEAD` units. */
  readonly holds?: string
  readonly outcome: ActOutcome
  /** True when no program can print the text there: the harness writes its own words before all output. */
  readonly isSure?: true
}

/** SWE-agent's result where `bash -n` rejects the command. */
export const SWE_NOT_PARSED = 'Your bash command contained syntax errors and was NOT executed.'

/** Cline and Roo Code (cline/cline, src/core/prompts/responses.ts). */
const CLINE_WORDS: readonly HarnessWords[] = [
  { begins: 'The user denied this operation', outcome: 'rejected' },
  { begins: 'Skipping tool due to user rejecting a previous tool.', outcome: 'rejected' },
  { begins: "Command failed to execute as it's been blocked by the user's", outcome: 'rejected' },
  { begins: 'The tool execution failed with the following error', outcome: 'failed' },
]

/** Harnesses with further texts, which vary by version. */
export const SOME_WORDS: ReadonlySet<string> = new Set(['goose', 'opencode', 'copilot'])

/** The texts by the name of the harness; the first of a list that a text begins with counts. */
export const HARNESS_WORDS: Readonly<Record<string, readonly HarnessWords[]>> = {
  cline: CLINE_WORDS,
  roo: CLINE_WORDS,
  /**
   * Claude Code (anthropics/claude-code, its npm package; the texts as they stand in session logs). Each of these results is an error in
   * every log; Harbor's converter to ATIF ends it in `[error] tool reported failure`. `<tool_use_error>` marks the checks before a call: an
   * unknown tool, wrong input, a file that was not read first, a string that the file lacks. A failure during the call comes without the
   * mark, except for the entries that say otherwise.
   */
  'claude-code': [
    { begins: "The user doesn't want to proceed with this tool use.", outcome: 'rejected' },
    { begins: "The user doesn't want to take this action right now.", outcome: 'cancelled' },
    { begins: 'The agent proposed a plan that was rejected by the user', outcome: 'rejected' },
    { begins: '[Request interrupted by user', outcome: 'interrupted' },
    { begins: 'Command timed out after ', outcome: 'interrupted' },
    { begins: 'Permission to use ', holds: ' has been denied', outcome: 'rejected' },
    { begins: 'Claude requested permissions to ', holds: "but you haven't granted it yet", outcome: 'rejected' },
    { begins: 'Permission for this tool use was denied.', outcome: 'rejected' },
    { begins: 'Permission for this action has been denied.', outcome: 'rejected' },
    { begins: 'This command requires approval', outcome: 'rejected' },
    {
      begins: 'This Bash command contains multiple operations. The following part requires approval',
      outcome: 'rejected',
    },
    { begins: 'Hook PreToolUse:', holds: ' denied this tool', outcome: 'rejected' },
    { begins: 'PreToolUse:', holds: ' hook ', outcome: 'rejected' },
    { begins: 'Error: PreToolUse:', holds: ' hook ', outcome: 'rejected' },
    { begins: '<tool_use_error>Cancelled: ', outcome: 'cancelled' },
    { begins: '<tool_use_error>Sibling tool call errored', outcome: 'cancelled' },
    { begins: '<tool_use_error>Error: Streaming fallback - tool execution discarded', outcome: 'interrupted' },
    { begins: '<tool_use_error>Error calling tool', outcome: 'failed' },
    { begins: '<tool_use_error>', outcome: 'rejected' },
    { begins: 'Error: No such tool available', outcome: 'rejected' },
    { begins: 'InputValidationError: ', outcome: 'rejected' },
  ],
  /**
   * Codex (openai/codex, codex-rs/core/src/tools: `exec command rejected by user`, parallel.rs for `aborted by user`): results of calls that
   * were not approved, could not be parsed, or failed before any output.
   */
  codex: [
    { begins: 'exec command rejected by user', outcome: 'rejected' },
    { begins: 'patch rejected by user', outcome: 'rejected' },
    { begins: 'rejected by user', outcome: 'rejected' },
    { begins: 'exec_command failed', holds: 'Rejected(', outcome: 'rejected' },
    { begins: 'This action was rejected due to unacceptable risk.', outcome: 'rejected' },
    { begins: 'approval policy is ', outcome: 'rejected' },
    { begins: 'approval required by policy', outcome: 'rejected' },
    { begins: 'failed to parse function arguments', outcome: 'rejected' },
    { begins: 'unsupported call: ', outcome: 'rejected' },
    { begins: 'unsupported custom tool call: ', outcome: 'rejected' },
    { begins: 'aborted by user', outcome: 'interrupted' },
    { begins: 'command timed out after ', outcome: 'interrupted' },
    { begins: 'apply_patch verification failed', outcome: 'failed' },
    { begins: 'exec_command failed', outcome: 'failed' },
    { begins: 'execution error: ', outcome: 'failed' },
  ],
  /**
   * Gemini CLI and qwen-code (google-gemini/gemini-cli, packages/core/src: scheduler/policy.ts, scheduler.ts, state-manager.ts,
   * tools/tools.ts, tools/shell.ts). A call with wrong parameters is never built.
   */
  'gemini-cli': [
    { begins: '[Operation Cancelled] Reason: User cancelled tool execution.', outcome: 'interrupted' },
    { begins: '[Operation Cancelled] Reason: ', outcome: 'cancelled' },
    { begins: 'Command was automatically cancelled because it exceeded the timeout', outcome: 'interrupted' },
    { begins: 'Command was cancelled by user before it could complete.', outcome: 'interrupted' },
    { begins: 'Tool execution denied by policy', outcome: 'rejected' },
    { begins: 'Tool execution blocked', outcome: 'rejected' },
    { begins: 'Tool execution stopped by hook', outcome: 'rejected' },
    { begins: 'Invalid parameters provided. Reason: ', outcome: 'rejected' },
    { begins: 'Error: Invalid parameters provided. Reason: ', outcome: 'rejected' },
    { begins: 'Tool "', holds: '" not found', outcome: 'rejected' },
    { begins: 'Tool "', holds: '" could not be loaded.', outcome: 'rejected' },
    { begins: 'User did not allow tool call', outcome: 'rejected' },
  ],
  /** OpenHands (All-Hands-AI/OpenHands, openhands/events/observation/reject.py; OpenHands/software-agent-sdk, UserRejectObservation). */
  openhands: [
    { begins: 'Action has been rejected by the user!', outcome: 'rejected' },
    { begins: 'User rejected the action', outcome: 'rejected' },
    { begins: 'Action rejected: ', outcome: 'rejected' },
    { begins: 'Error validating args ', outcome: 'rejected' },
    { begins: 'Error validating tool ', outcome: 'rejected' },
    { begins: "Tool '", holds: "' not found. Available: ", outcome: 'rejected' },
    { begins: 'Tool call cancelled by interrupt.', outcome: 'interrupted' },
    { begins: 'Tool call interrupted before completion.', outcome: 'interrupted' },
  ],
  /**
   * SWE-agent (SWE-agent/SWE-agent, sweagent/tools/tools.py, blocklist_error_template; agent/agents.py, shell_check_error_template; its edit
   * tools, which undo an edit that a linter rejects).
   */
  'swe-agent': [
    { begins: "Operation '", holds: "' is not supported by this environment.", outcome: 'rejected' },
    { begins: 'Interactive operation ', holds: ' is not supported by this environment', outcome: 'rejected' },
    { begins: SWE_NOT_PARSED, outcome: 'rejected' },
    { begins: 'Your proposed edit has introduced new syntax error(s).', outcome: 'rejected' },
    { begins: 'EXECUTION TIMED OUT', outcome: 'interrupted' },
    { begins: "The command '", holds: "' was cancelled because it took more than ", outcome: 'interrupted' },
    { begins: 'COMMAND FAILED TO EXECUTE', outcome: 'failed' },
  ],
  /** mini-swe-agent (SWE-agent/mini-swe-agent, src/minisweagent/agents/interactive.py and default.py). */
  'mini-swe-agent': [
    { begins: 'Command not executed.', outcome: 'rejected' },
    { begins: 'The user rejected', outcome: 'rejected' },
    { begins: 'Interrupted by user', outcome: 'interrupted' },
    { begins: 'Temporary interruption caught.', outcome: 'interrupted' },
    {
      begins: 'The last command <command>',
      holds: '</command> timed out and has been killed.',
      outcome: 'interrupted',
    },
  ],
  /** Goose (block/goose, crates/goose/src/agents/tool_execution.rs). */
  goose: [
    { begins: 'The user has declined to run this tool.', outcome: 'rejected' },
    { begins: 'Let the user know the tool call was skipped in ', outcome: 'rejected' },
  ],
  /** OpenCode (sst/opencode, packages/opencode/src/permission). */
  opencode: [
    { begins: 'The user rejected permission to use this specific tool call', outcome: 'rejected' },
    { begins: 'The ', holds: ' tool was called with invalid arguments: ', outcome: 'rejected' },
    {
      begins: 'The user has specified a rule which prevents you from using this specific tool call',
      outcome: 'rejected',
    },
    { begins: 'Tool execution aborted', outcome: 'interrupted' },
  ],
  /** Copilot (microsoft/vscode, workbench/contrib/chat/browser/languageModelToolsService.ts). */
  copilot: [
    { begins: 'The user chose to skip the tool call', outcome: 'rejected' },
    { begins: 'The user cancelled the tool call', outcome: 'interrupted' },
    { begins: 'The user rejected this tool call', outcome: 'rejected' },
  ],
  /** terminus-2 (harbor, src/harbor/agents/terminus_2): the harness could not parse the reply and typed no part of it. */
  terminus: [{ begins: 'Previous response had parsing errors', outcome: 'rejected', isSure: true }],
}
