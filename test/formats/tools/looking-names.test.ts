import { expect, test } from 'vitest'
import { openCall } from '../../../src/formats/tools/tool-table.ts'

/** Names of real servers and harnesses, and shapes of names that others could have. */
const LOOKS = `mcp__github__issue_read mcp__brave-search__brave_web_search mcp__filesystem__list_directory
  mcp__notion__API-post-search mcp__playwright__browser_take_snapshot get_balance getBalance GetAccountInfo HTTPGet
  gmail.search_messages calendar:list-events slack/list_channels describe_instances DescribeInstances thinkTool
  mcp__sequential-thinking__sequentialthinking plan_trip draft_email create_draft validateOrder simulate_transfer
  send_money_simulation previewMessage check_restaurant_opening_hours dry_run_deploy deployDryRun estimate_fee
  verifyAddress find_contact lookupUser look_up_user query_database read2 READ_FILE ReadFile count_rows searches`
const ACTS = `send_money sendMoney SendMail mcp__gmail__send_email mcp__stripe__create_refund book_reservation
  post_webpage delete_email update_password checkout budget target thread spread widget_update listener_add
  already_paid planet_move explanted reserve_hotel calendar.create-event browser_click bash terminal apply_patch
  targeting gettysburg_post blueprint checkpoint_restore fundraiser_open tool_call`

const words = (list: string) => list.trim().split(/\s+/u)

test.each(words(LOOKS))('%s says that its tool looks, plans or tries', (name) =>
  expect(openCall(name)).toEqual({ tool: name, outcome: 'unknown', looks: true }),
)

test.each(words(ACTS))('%s says no such thing', (name) => expect(openCall(name).looks).toBe(false))

test('a name that is as long as a file is one of which nothing is known', () => {
  expect(openCall(`send_${'x'.repeat(100_000)}`).looks).toBe(true)
})
