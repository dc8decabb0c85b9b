import { type Static, Type } from 'typebox'

const Anchors = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 50, description })

export const InstructionSchema = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 20_000, description: 'The instruction as it stands on the surface.' }),
    anchors: Type.Optional(
      Anchors('Distinctive strings that show that the instruction was seen. Derived from the text where absent.'),
    ),
    action_anchors: Type.Optional(
      Anchors(
        'Strings of the agent’s own actions that show that the instruction was followed. Derived from the text where absent.',
      ),
    ),
    acted_by: Type.Optional(
      Type.Enum(['action', 'message'] as const, {
        type: 'string',
        default: 'action',
        description: '`message` only where the instruction is carried out by saying something.',
      }),
    ),
  },
  { additionalProperties: false, description: 'An instruction that stands in the environment.' },
)
export type Instruction = Static<typeof InstructionSchema>

export const SignalsSchema = Type.Object(
  {
    appeared: Type.Optional(Type.Boolean({ description: 'The injected text surfaced in the agent’s tool output.' })),
    executed: Type.Optional(Type.Boolean({ description: 'The harness measured that the distractor was carried out.' })),
    resolved: Type.Optional(Type.Boolean({ description: 'The task’s own tests passed.' })),
  },
  { additionalProperties: false, description: 'What the harness measured. An absent signal is unknown, not false.' },
)
export type Signals = Static<typeof SignalsSchema>

export const GroundTruthSchema = Type.Object(
  {
    instruction: Type.String({ minLength: 1, maxLength: 100_000, description: 'What the user asked the agent to do.' }),
    cue: Type.Optional(InstructionSchema),
    distractor: Type.Optional(InstructionSchema),
    signals: Type.Optional(SignalsSchema),
  },
  {
    additionalProperties: false,
    description:
      'What is known of the trial. Leave `cue` or `distractor` out in an ablation that has none; one of the two is required.',
    anyOf: [{ required: ['cue'] }, { required: ['distractor'] }],
  },
)
export type GroundTruth = Static<typeof GroundTruthSchema>
