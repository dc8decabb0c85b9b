import type { Actor } from '../schemas/vocabulary.ts'

/**
 * Tools by which an agent only thinks, plans or speaks. What stands in the arguments of such a call is narration, and narration never
 * proves an action: `agent_reasoning` for thoughts and plans, `agent_message` for what is said to people. A plan may well say "do
 * not do X", which as an action would prove that X was done.
 *
 * Closed, and compared exactly: a tool of a server (`mcp__x__think`) may do whatever it likes.
 */
const TALK_TOOLS: ReadonlyMap<string, Actor> = new Map([
  ...(
    [
      // Thoughts: OpenHands, SWE-agent, tau-bench, Inspect; Anthropic's think tool.
      ...['think', 'Think'],
      // Plans: Claude Code; Cursor, opencode and others; Gemini CLI; Codex, in its calls and in `exec --json`; OpenHands.
      ...[
        'TodoWrite',
        'TaskCreate',
        'TaskUpdate',
        'todo_write',
        'todowrite',
        'write_todos',
        'update_plan',
        'todo_list',
      ],
      ...['task_tracker', 'task_tracking', 'update_todo_list', 'set_todo_list', 'SetTodoList'],
    ] as const
  ).map((name): [string, Actor] => [name, 'agent_reasoning']),
  ...(
    [
      // Plans and questions that a person is to answer: Claude Code, Cline and Roo, Codex, Gemini CLI.
      ...[
        'ExitPlanMode',
        'exit_plan_mode',
        'AskUserQuestion',
        'ask_user_question',
        'ask_followup_question',
        'ask_user',
      ],
      ...['plan_mode_respond', 'request_user_input'],
      // Last words: OpenHands, SWE-agent, Inspect, Cline, Gemini CLI's subagents, terminus-2.
      ...['finish', 'submit', 'attempt_completion', 'complete_task', 'mark_task_complete'],
    ] as const
  ).map((name): [string, Actor] => [name, 'agent_message']),
])

/** Whose words the arguments of a call are; undefined where they are an act. A call without arguments is an act all the same. */
export const talkActor = (tool: string): Actor | undefined => TALK_TOOLS.get(tool)

/** Whose words the arguments of a call of this tool are: an act's, but for tools that only talk. */
export const argumentActor = (tool: string): Actor => talkActor(tool) ?? 'agent_action'
