import { wordSet } from '../../domain/text/words.ts'
/** The records of claude-code's logs that hold nothing which the agent said, did or saw. */
export const BOOKKEEPING: ReadonlySet<unknown> = wordSet(`summary last-prompt file-history-snapshot file-history-delta
  ai-title custom-title agent-name agent-color agent-setting tag mode permission-mode pr-link worktree-state
  content-replacement attribution-snapshot bridge-session task-summary speculation-accept started rate_limit_event
  stream_event tool_progress tool_use_summary keep_alive control_request control_response control_cancel_request
  auth_status prompt_suggestion`)

/** Subtypes of `system` records without a text. */
export const SYSTEM_BOOKKEEPING: ReadonlySet<unknown> = wordSet(`init compact_boundary microcompact_boundary
  turn_duration stop_hook_summary api_error api_retry api_metrics status hook_started hook_progress hook_response
  task_started task_progress task_updated task_notification files_persisted session_state_changed away_summary
  memory_saved agents_killed bridge_status informational local_command_output thinking_tokens permission_denied`)

/** Members of a record beside its message. `toolUseResult` is the harness's own copy of a result; the agent did not see it. */
export const RECORD_FIELDS: ReadonlySet<string> = wordSet(`type subtype message uuid parentUuid logicalParentUuid
  parent_tool_use_id timestamp level isSidechain isMeta isCompactSummary isVisibleInTranscriptOnly isApiErrorMessage
  isSynthetic isReplay isVirtual userType sessionId session_id version gitBranch cwd entrypoint requestId request_id
  promptId promptSource slug agentId agentName teamName agentColor toolUseResult tool_use_result toolUseID
  parentToolUseID mcpMeta sourceToolAssistantUUID sourceToolUseID permissionMode permission_mode todos
  thinkingMetadata imagePasteIds origin planContent error errorDetails apiErrorStatus forkedFrom attributionAgent
  attributionSkill interruptedMessageId queuePriority effort caller toolDenialKind session_kind sessionKind data`)

export const MESSAGE_FIELDS: ReadonlySet<string> = wordSet(`id type role model content stop_reason stop_sequence
  stop_details usage container context_management diagnostics`)
