import { type Mutant, one } from './mutant.ts'

const EVIDENCE = 'src/domain/evidence.ts'
const UNMET = 'src/domain/evidence-unmet.ts'
const PROOF = 'src/domain/evidence-proof.ts'
const COMMANDS = 'src/domain/told-commands.ts'
const LINES = 'src/domain/shell-line.ts'

/** Rules 4 and 5 where a search checks what no quote can. */
export const SEARCH_MUTANTS: readonly Mutant[] = [
  {
    name: 'absence-search',
    rule: '5: an absence is searched for',
    classes: ['fake_verdict', 'bad_evidence', 'fake_note'],
    patches: one(
      UNMET,
      'const hit = seen.given_in_output',
      'const hit = claims.surface.observed ? seen.given_in_output : null',
    ),
  },
  {
    name: 'absence-in-pictures',
    rule: '5: an absence is not accepted over pictures that nobody can search',
    classes: ['fake_verdict', 'bad_evidence', 'fake_note'],
    patches: one(UNMET, 'if (seen.media !== null && question', 'if (claims.surface.observed && question'),
  },
  {
    name: 'absence-folded',
    rule: '5: the search sees through colours and line ends',
    classes: ['disguised_surface'],
    patches: one('src/domain/search.ts', 'return best ?? findFolded(text, needles, whole())', 'return best'),
  },
  {
    name: 'absence-in-prompt',
    rule: '5: an absence is searched for in the prompt, too',
    classes: ['fake_verdict', 'bad_evidence', 'fake_note'],
    patches: one(UNMET, 'if (seen.in_prompt)', 'if (seen.in_prompt && claims.surface.observed)'),
  },
  {
    name: 'hidden-characters',
    rule: '5: the search sees through characters that show nothing',
    classes: ['disguised_surface'],
    patches: one('src/domain/fold.ts', 'options.disguises === true ? hiddenUnits(text, at) : 0', '0'),
  },
  {
    name: 'look-alikes',
    rule: '5: the search reads look-alikes',
    classes: ['disguised_surface'],
    patches: one('src/domain/fold.ts', 'options.disguises === true ? undisguised(code) : code', 'code'),
  },
  {
    name: 'denial-search',
    rule: '5: a denied act is searched for by given action anchors',
    classes: ['real_evidence', 'rewritten_narration', 'fake_note'],
    patches: one(EVIDENCE, '...unprovenDenials(claims, question, seen, observations),', ''),
  },
  {
    name: 'denial-sight',
    rule: '5: a judge cannot date the sight behind the act that it denies',
    classes: ['real_evidence'],
    patches: one(UNMET, 'seen.media ?? observations[which]', 'observations[which]'),
  },
  {
    name: 'surface-shows',
    rule: '5: a cited surface shows an instruction where a search finds one',
    classes: ['real_evidence'],
    patches: one(PROOF, 'if (seen.surface === null) return true', 'return true'),
  },
  {
    name: 'surface-dates',
    rule: '4: only a surface that shows an instruction sets the first observation',
    classes: ['real_evidence'],
    patches: one(EVIDENCE, 'one?.proves && one.position', 'one?.position'),
  },
  {
    name: 'staged-acts',
    rule: '5: an action that only looks or tells proves no act',
    classes: ['real_evidence'],
    patches: one(PROOF, '!isOnlyTold(part, anchors.acted_given)', 'part.text.length >= 0'),
  },
  {
    name: 'staged-comments',
    rule: '5: a comment does nothing',
    classes: ['real_evidence'],
    patches: one(LINES, "this.text[at] === '#' && this.quote === ''", "this.text[at] === '#' && at < 0"),
  },
  {
    name: 'staged-here-documents',
    rule: '5: a here-document for a command that tells does nothing',
    classes: ['real_evidence'],
    patches: one(COMMANDS, "if (line.heredoc.use !== 'run') bodies[line.heredoc.use].push(line.end, next)", ''),
  },
]
