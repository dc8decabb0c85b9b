import { ATIF, ATIF_SEGMENTS } from './atif/atif.ts'
import { CLAUDE_CODE } from './claude-code/claude-code.ts'
import { CLINE } from './cline/cline.ts'
import { CODEX } from './codex/codex.ts'
import { STEP_LIST } from './common/step-list.ts'
import { CURSOR } from './cursor/cursor.ts'
import { DOCENT } from './docent/docent.ts'
import type { Format } from './format.ts'
import { GEMINI_CLI } from './gemini-cli/gemini-cli.ts'
import { INSPECT } from './inspect/inspect.ts'
import { LANGCHAIN, LANGSMITH } from './langchain/langchain.ts'
import { LANGFUSE } from './langfuse/langfuse.ts'
import { ANTIGRAVITY } from './located-chats/antigravity.ts'
import { COPILOT_CLI, KIMI_CODE } from './located-chats/event-logs.ts'
import { GEMINI_CONTENTS, QWEN_CODE } from './located-chats/gemini-contents.ts'
import { ANTHROPIC_MESSAGES, OPENAI_CHAT } from './openai-chat/openai-chat.ts'
import { OPENAI_RESPONSES } from './openai-responses/openai-responses.ts'
import { OPENCODE } from './opencode/opencode.ts'
import { OPENHANDS } from './openhands/openhands.ts'
import { OTLP } from './otlp/otlp.ts'
import { PYDANTIC_AI } from './pydantic-ai/pydantic-ai.ts'
import { DROID_STREAM, GROK_CLI, OPENCLAW, SESSION_MESSAGES } from './session-messages/session-messages.ts'
import { MINI_SWE_AGENT, SWE_AGENT } from './swe-agent/swe-agent.ts'
import { VERCEL_UI } from './vercel-ui/vercel-ui.ts'
import { VERIFIERS } from './verifiers/verifiers.ts'

/** The formats in the order in which they are tried: the most distinctive marks first. */
export const FORMATS: readonly Format[] = [
  ATIF,
  ATIF_SEGMENTS,
  CURSOR,
  COPILOT_CLI,
  QWEN_CODE,
  ANTIGRAVITY,
  KIMI_CODE,
  DROID_STREAM,
  CLAUDE_CODE,
  CODEX,
  GEMINI_CLI,
  OPENHANDS,
  LANGFUSE,
  OTLP,
  OPENCODE,
  OPENCLAW,
  DOCENT,
  CLINE,
  STEP_LIST,
  INSPECT,
  SWE_AGENT,
  MINI_SWE_AGENT,
  LANGSMITH,
  GEMINI_CONTENTS,
  VERCEL_UI,
  LANGCHAIN,
  GROK_CLI,
  SESSION_MESSAGES,
  OPENAI_RESPONSES,
  PYDANTIC_AI,
  VERIFIERS,
  ANTHROPIC_MESSAGES,
  OPENAI_CHAT,
]
