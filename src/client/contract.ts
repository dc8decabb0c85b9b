// Generated from openapi/openapi.json by tools/client.ts: do not edit.

export interface paths {
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Describe the caller */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in with a key
         * @description For browsers: the answer sets a cookie that no script can read and no other site makes a browser send. Programs send their key with every request instead.
         */
        post: operations["openSession"];
        /** Sign out */
        delete: operations["closeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List grades, newest first */
        get: operations["listGrades"];
        put?: never;
        /**
         * Grade one trajectory
         * @description Answers 201 with a new grade, 200 with a stored one. A failed judge is 502, 503 or 504 with its code, never a 2xx.
         */
        post: operations["createGrade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grades/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many grades fit, and by which names grades can be filtered
         * @description Counts the grades that `GET /v1/grades` lists, looking at 20,000 at most; the names are those of all stored grades.
         */
        get: operations["overviewGrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grades/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one grade */
        get: operations["getGrade"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grades/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The ledger of one grade: every call of the judge */
        get: operations["listAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grades/{id}/panel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the standing grades of the question of one grade
         * @description The standing grades of the same trajectory and ground truth, newest first, and the result of those by the rubric of the grade. The grade itself is absent where a newer one stands for it.
         */
        get: operations["listPanel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grades/{id}/ground-truth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the ground truth of one grade */
        get: operations["getGroundTruth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trajectories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a trajectory; its id is the digest of its content
         * @description One run in any format that docs/formats.md lists: an object, an array of records, or NDJSON. A file of many runs is taken apart by `veridict import`.
         */
        post: operations["uploadTrajectory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trajectories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Describe a stored trajectory */
        get: operations["getTrajectory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trajectories/{id}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Steps of a trajectory, with the actor and place of every part */
        get: operations["listSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List batches, newest first */
        get: operations["listBatches"];
        put?: never;
        /**
         * Grade many trials
         * @description As `application/x-ndjson`: one item a line, of any number of bytes in all, with the options in the query. As JSON: `items`, with the options beside them. Every item is read before the first is graded: one fault refuses the whole batch, with its place. With `dry_run` nothing is graded, and the answer says what it would take.
         */
        post: operations["createBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/regrades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grade stored grades again
         * @description A batch over the stored grades that fit `query` (of equal questions the newest), with another rubric, judge or sample count; or, with `recheck`, over their stored replies under the evidence rules of today, without a call. The old grades stay as they are.
         */
        post: operations["createRegrade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far a batch is */
        get: operations["getBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a batch: what is in flight ends, the rest is cancelled */
        post: operations["cancelBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a parked batch go on */
        post: operations["resumeBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The results of a batch, in item order */
        get: operations["readResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The ledger of a batch: every call of a judge that was made for it
         * @description In order, with those whose grade was never stored: `grade_id` is null there. A good reply of such a call is kept, and used when the same question is asked again.
         */
        get: operations["readBatchAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a batch
         * @description Server-sent events: `progress` with the batch as it is, at once and after every change, at most five a second; `end` with its last state once it is done or cancelled, and then the stream ends. A parked batch keeps it open. Comments in between keep the connection alive.
         */
        get: operations["watchBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grades/{id}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say what a human finds
         * @description Append-only: of one rater’s reviews of a question (a trajectory and its ground truth) by a rubric the newest counts. Label and claims are those of the rubric of the grade (`GET /v1/rubrics/{id}`). Any grade of the question can be reviewed, whatever its status.
         */
        post: operations["createReview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reviews, newest first
         * @description With `format=csv` all of them in one table, or `limit` of them, from `cursor` on.
         */
        get: operations["listReviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/disagreements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Questions on which not all agree, the most telling first
         * @description A question is a trajectory with its ground truth, under one rubric: what different rubrics ask is never compared. Filters choose the questions that have a standing grade that fits all of them; everything that was said of them is shown. `batch` chooses among its own trials, and of the judges that it asked its own grades are shown. With `format=csv` the whole queue in one table, or `limit` of it, from `cursor` on.
         */
        get: operations["listDisagreements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agreement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * How far raters agree, with intervals
         * @description Of given ratings, or of stored raters: judges, their samples, humans, what the harness measured. A grade without a label gives no rating and is counted in `coverage`. Computed one request at a time; 503 where too many wait.
         */
        post: operations["computeAgreement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shares of the outcomes and claims of a rubric, with intervals
         * @description Over the standing grades that fit every given field, or, with `batch`, over that batch’s own trials, whatever was graded since; per group: the shares of the labels and of each claim, corrected by reviews; and of `tab-behavior` R by signals and by the judge, C, T and resolution. Nothing is dropped silently: each rate has its denominator and how many trials could not be told. The same seed over the same grades gives the same bytes.
         */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/comparisons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Two batches over the same questions, label against label
         * @description Questions are paired by trajectory, ground truth and rubric, whatever its version; what different rubrics ask is never compared. The matrix counts pairs that have a label on both sides; whatever has none is counted beside it. Statistics are of all pairs, whatever page of the flips is asked for.
         */
        get: operations["compareBatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The findings of a batch, grouped into classes by kind and cause
         * @description Failed, cancelled and unverified trials, contradictions, unread records and conflicting rewards; and grades that disagree with the newest grade of another judge (in label or evidence), with a person, or among their samples. Each class has its newest disposition; a class whose findings have changed since is open again. More than 200 classes of one kind are one class.
         */
        get: operations["readFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/dispositions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say what becomes of a class of findings
         * @description Append-only: of one class the newest counts, and a repetition is not stored. `findings_changed`: the class differs from `digest`; `not_regraded`: a trial of the class has no newer grade.
         */
        post: operations["disposeFindings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/signoff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign the results and findings of a batch that has ended
         * @description Append-only. `findings_open`: classes are open, `errors` names them; `batch_not_ended`: further items can have findings.
         */
        post: operations["signOffBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rubrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The loaded rubrics */
        get: operations["listRubrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rubrics/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One rubric with its prompt, by id@version or by id for its newest version */
        get: operations["getRubric"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/rubrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The loaded rubrics that the items of a batch ask by */
        get: operations["listBatchRubrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/judges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configured judges, and those that lack their key */
        get: operations["listJudges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process lives */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Requests are served: the database can be written and no stop was asked for */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Prometheus metrics */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Grade: {
            id: string;
            /** @enum {string} */
            status: "graded" | "unverified" | "failed";
            label: string | null;
            claimed_label: string | null;
            confidence: {
                reported: ("low" | "medium" | "high") | null;
                vote_share: number | null;
                calibrated: number | null;
                /**
                 * @description `capped`: lowered by its `limit`.
                 * @enum {string}
                 */
                source: "reported" | "capped" | "votes" | "none";
                /** @description Null: `high`, or no label. Absent before evidence version 9. */
                limit?: {
                    /**
                     * @description The highest level that the evidence allows.
                     * @enum {string}
                     */
                    level: "low" | "medium";
                    /**
                     * @description Reason why the confidence is not higher.
                     * @enum {string}
                     */
                    code: "contradiction" | "judge" | "searched" | "part_of_act" | "quotes" | "unmet";
                    claim: string | null;
                    step_id: number | null;
                    /** @description One sentence: why the confidence is not higher. */
                    reason: string;
                    /** @description One sentence: what would allow a higher level. */
                    lift: string;
                } | null;
            };
            /** @description The result by the rubric: its label, or a number; null unless `graded`. Absent from old grades: the label. */
            outcome?: (string | number) | null;
            /** @description By their ids; null: the judge failed. Absent from old grades. */
            claims?: {
                [key: string]: (boolean | string | number | null) | {
                    [key: string]: boolean | string | number | null;
                }[];
            } | null;
            /** @description Claims of `tab-behavior` about the surface; `category`: null (old grades: `other`) where no surface was observed. */
            surface: {
                /** @description Null: unclear, the judge could not tell from the record. Never to be read as false. */
                observed: boolean | null;
                category: ("cli_tool_output" | "source_code_comment" | "data_file" | "binary_media" | "other") | null;
            } | null;
            cue: {
                /** @description Null: unclear, the judge could not tell from the record. Never to be read as false. */
                reasoned: boolean | null;
                /** @description Null: unclear, the judge could not tell from the record. Never to be read as false. */
                acted: boolean | null;
            } | null;
            distractor: {
                /** @description Null: unclear, the judge could not tell from the record. Never to be read as false. */
                reasoned: boolean | null;
                /** @description Null: unclear, the judge could not tell from the record. Never to be read as false. */
                acted: boolean | null;
            } | null;
            citations: {
                /** @description The id of a claim of the rubric, like `cue.acted`. */
                supports: string;
                /** @description Of a claim of a list: the number of its entry, from 1. */
                entry?: number;
                step_id: number;
                quote: string;
                /**
                 * @description Outcome of checking the citation. Only `verified` and `normalized` count as evidence.
                 * @enum {string}
                 */
                status: "verified" | "normalized" | "wrong_step" | "not_found" | "too_short" | "wrong_actor" | "out_of_order" | "step_not_found";
                actor: ("user" | "system" | "agent_reasoning" | "agent_message" | "agent_action" | "tool_output") | null;
                path: string | null;
                start: number | null;
                end: number | null;
                /** @description How often the quote stands in the cited step. */
                occurrences: number;
                normalization?: ("white_space" | "ansi" | "typographic_quotes" | "unicode" | "wrapping" | "ellipsis" | "escapes" | "line_prefixes" | "emphasis")[] | null;
                /** @description Only with `wrong_step`: the first step that does hold the quote. */
                found_in_step?: number;
            }[];
            /** @description Claims whose evidence does not hold, or that are unclear and decide the label; never empty when `unverified` by evidence. */
            unmet: {
                /** @description The id of a claim of the rubric, like `cue.acted`. */
                claim: string;
                reason: string;
                step_id: number | null;
            }[];
            contradictions: {
                /** @enum {string} */
                code: "observed_against_signal" | "distractor_against_signal" | "observed_against_anchor" | "acted_against_anchor" | "doubtful_sight" | "doubtful_act" | "resolved_against_signal" | "agent_against_step" | "doubtful_absence" | "no_majority";
                claim: string | null;
                detail: string;
                step_id: number | null;
                /** @description True: the check cannot tell; two models that agree may support the claim. */
                supportable?: boolean;
            }[];
            notes: string;
            failure: {
                /** @enum {string} */
                code: "judge_unreachable" | "rate_limited" | "quota_exhausted" | "authentication" | "refused" | "truncated" | "schema_invalid" | "context_overflow" | "budget_exceeded" | "timeout" | "cancelled" | "internal";
                message: string;
                /** @description Whether the same request can succeed later. */
                retryable: boolean;
                retry_after_s: number | null;
            } | null;
            /** @description Every sample’s own result; empty for a single sample. */
            votes: {
                sample: number;
                /** @enum {string} */
                status: "graded" | "unverified" | "failed";
                label: string | null;
                claimed_label: string | null;
                confidence: ("low" | "medium" | "high") | null;
                failure: ("judge_unreachable" | "rate_limited" | "quota_exhausted" | "authentication" | "refused" | "truncated" | "schema_invalid" | "context_overflow" | "budget_exceeded" | "timeout" | "cancelled" | "internal") | null;
                /** @description The quotes that hold, by each claim that the label needs quotes for. Absent without a label, and from old grades. */
                quotes?: {
                    [key: string]: {
                        step_id: number;
                        path: string;
                        start: number;
                        end: number;
                    }[];
                };
            }[];
            receipt: {
                /** @enum {string} */
                cache: "hit" | "miss";
                key: string;
                trajectory: string;
                ground_truth: string;
                rubric: string;
                rubric_digest: string;
                judge: string;
                provider: string | null;
                model_requested: string | null;
                model_resolved: string | null;
                versions: {
                    rendering: number;
                    evidence: number;
                    prompt: number;
                    reader: number;
                };
                /**
                 * @description Whether a denial that an action anchor contradicts was flagged or refused. Absent from the oldest grades.
                 * @enum {string}
                 */
                denied_acts?: "flag" | "refuse";
                /** @description How the judge was asked; null: not known. Absent from old grades. */
                settings?: {
                    api: string | null;
                    host: string | null;
                    effort: string | null;
                    temperature: number | null;
                    max_output_tokens: number | null;
                    /** @description The rest of the judge’s identity in the cache key, beside provider, base URL and model. */
                    parameters: {
                        [key: string]: unknown;
                    };
                } | null;
                /** @description Absent from old grades. */
                samples?: number;
                /**
                 * @description `direct`: calls; `provider`: batch endpoint; `stored`: a recheck of stored replies. Absent from old grades.
                 * @enum {string}
                 */
                mode?: "direct" | "provider" | "stored";
                /** @description `veridict` and its version. Absent from old grades. */
                software?: string;
                coverage: {
                    steps_shown: number;
                    steps_total: number;
                    /** @description Characters of the trajectory that no call of the judge was shown. */
                    elided_chars: number;
                    /** @description Pictures and sounds, which no search can read. */
                    media_parts: number;
                    /** @description Those that the judge was shown in every sample. Absent from old grades. */
                    media_shown?: number;
                    /** @description 1, or the number of windows that were read for evidence. */
                    windows: number;
                };
                attempts: {
                    id: string;
                    sample: number;
                    /** @description 0: the first question; 1 and 2: repairs, or a decision that is shown less; of a window, its number. */
                    round: number;
                    /** @enum {string} */
                    purpose: "decide" | "window" | "repair";
                    /** @enum {string} */
                    outcome: "ok" | "sent" | "unknown" | "judge_unreachable" | "rate_limited" | "quota_exhausted" | "authentication" | "refused" | "truncated" | "schema_invalid" | "context_overflow" | "budget_exceeded" | "timeout" | "cancelled" | "internal";
                    message: string | null;
                    latency_ms: number;
                    usage: {
                        /** @description All input tokens, cached ones included. */
                        input_tokens: number;
                        output_tokens: number;
                        cache_read_tokens: number;
                        cache_write_tokens: number;
                        /** @description Of those written, those kept for the longer time. */
                        cache_write_long_tokens?: number;
                        /** @description Of the provider; absent: none was asked for, and the call had the usual tier. */
                        service_tier?: string;
                    } | null;
                    cost_usd: number | null;
                    request_id: string | null;
                    /** @description The stored reply of an earlier grade: not paid for again. */
                    replayed: boolean;
                    /** @description Of the request with its limit. Absent from old grades, as the next two. */
                    request_digest?: string | null;
                    /** @description Of the raw reply as it is kept; null: there was none. */
                    reply_digest?: string | null;
                    /** @description The limit that was sent; null: none, or not known of this call. */
                    max_output_tokens?: number | null;
                }[];
                cost_usd: number | null;
                price_as_of?: string | null;
                /** @description Anchors that prove little, with their place below `/ground_truth`; and what deviates from the format, with its place in the trajectory. At most 100. */
                warnings: {
                    path: string;
                    message: string;
                }[];
                /** @description What of the trajectory could not be read. Absent from the oldest grades. */
                unread?: {
                    /** @description Records that could not be read, or not as what they are. */
                    records: number;
                    /** @description Of these, tool calls, and what may hold some: then the confidence is `low` (`doubtful_act`). */
                    actions: number;
                };
                /** @description Whether the judge saw what the agent saw, by the harness’s own marks. Absent from grades before 29 November 2026. */
                input?: {
                    /**
                     * @description The first that holds, from the last word: records or media are missing; an output or the judge’s view is cut; the harness put a summary in the place of earlier text, which the agent no longer saw; none of them.
                     * @enum {string}
                     */
                    state: "complete" | "compacted" | "truncated" | "parts_missing";
                    /** @description The record marks a compaction of the agent’s context. */
                    compacted: boolean;
                    /** @description `harness`: tool output has a mark by which harnesses cut what the agent reads (text of a run can imitate one); `window`: the judge was not shown all characters (`coverage.elided_chars`). */
                    truncated_by: ("harness" | "window")[];
                    missing: {
                        /** @description Records that could not be read. */
                        records: number;
                        /** @description Pictures and sounds that the judge was not shown. */
                        media: number;
                    };
                };
            };
            /** @description Where the trial came from. Never shown to the judge and never part of the cache key. `agent` and `model` are those that the trajectory names where they are left out. */
            metadata: {
                agent?: string;
                model?: string;
                task?: string;
                trial?: string;
                run_index?: number;
                variant?: string;
            } & {
                [key: string]: string | number | boolean | null;
            };
            /** Format: date-time */
            created_at: string;
        };
        GradePage: {
            items: components["schemas"]["Grade"][];
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        Panel: {
            items: components["schemas"]["Grade"][];
            /** @description Derived at each reading and never stored: no grade changes by it. */
            result: {
                /** @description The rubric of the grade that was asked for; grades by others do not count. */
                rubric: string;
                /** @description The label of every graded opinion; null: none, or several. */
                label: string | null;
                /** @description The best level of the grades; support lifts `low` to `medium`. */
                level: ("low" | "medium" | "high") | null;
                support: {
                    /**
                     * @description `overlapping`: two different models cite overlapping texts of one step for each claim behind the label; `disjoint`: they give the same label from other texts; `none`: no two different models give one label by the same claims and by quotes.
                     * @enum {string}
                     */
                    kind: "overlapping" | "disjoint" | "none";
                    /** @description True: the level is higher than that of every grade. */
                    lifted: boolean;
                    /** @description Grades that support each other, else all grades with a label; one of each judge. */
                    grades: {
                        grade_id: string;
                        judge: string;
                        model: string | null;
                    }[];
                    /** @description The steps in which their quotes overlap. */
                    steps: number[];
                    /** @description The reason of the level, in one sentence. */
                    reason: string;
                };
                /** @description Of each two judges, and of the samples of one judge: pairs of labels. `overlapping`: one label, and for each claim that it needs quotes for, quotes that overlap in one part of one step; `disjoint`: one label from other quotes; `unquoted`: one label that needs no quote; `other_label`; `unknown`: one label, and the places of the quotes of a side are not known (pictures, samples of old grades, a rubric that is not loaded). */
                evidence_agreement: {
                    /** @description Two rater words or judges; one of them twice: the samples of that judge among themselves. */
                    raters: string[];
                    overlapping: number;
                    disjoint: number;
                    unquoted: number;
                    other_label: number;
                    unknown: number;
                }[];
            };
        };
        GradeOverview: {
            total: number;
            /** @description False: more may fit. Counted is among the newest 20,000 that fit the most selective filter. */
            complete: boolean;
            statuses: {
                graded: number;
                unverified: number;
                failed: number;
            };
            /** @description Those of `tab-behavior` always; of other rubrics those that occur. */
            labels: {
                aligned: number;
                compliant: number;
                ignored: number;
                distractor_only: number;
                not_observed: number;
            } & {
                [key: string]: number;
            };
            names: {
                /** @description Of all stored grades, in order; the first 200. */
                judge: string[];
                /** @description Of all stored grades, in order; the first 200. */
                rubric: string[];
                /** @description Of all stored grades, in order; the first 200. */
                agent: string[];
                /** @description Of all stored grades, in order; the first 200. */
                model: string[];
                /** @description Of all stored grades, in order; the first 200. */
                task: string[];
            };
        };
        /** @description What is known of the trial. Leave `cue` or `distractor` out in an ablation that has none; one of the two is required. */
        GroundTruth: {
            /** @description What the user asked the agent to do; not blank. */
            instruction: string;
            /** @description An instruction that stands in the environment. */
            cue?: {
                /** @description The instruction as it stands on the surface; not blank. */
                text: string;
                /** @description Distinctive strings that show that the agent saw the instruction. Derived from the text where absent. */
                anchors?: string[];
                /** @description Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`. */
                action_anchors?: ({
                    /** @description Name of the tool, as the run has it. */
                    tool: string;
                    /** @description One whole argument of the call. */
                    argument?: string;
                } | string)[];
                /**
                 * @description The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.
                 * @default action
                 * @enum {string}
                 */
                acted_by?: "action" | "message" | "output";
            };
            /** @description An instruction that stands in the environment. */
            distractor?: {
                /** @description The instruction as it stands on the surface; not blank. */
                text: string;
                /** @description Distinctive strings that show that the agent saw the instruction. Derived from the text where absent. */
                anchors?: string[];
                /** @description Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`. */
                action_anchors?: ({
                    /** @description Name of the tool, as the run has it. */
                    tool: string;
                    /** @description One whole argument of the call. */
                    argument?: string;
                } | string)[];
                /**
                 * @description The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.
                 * @default action
                 * @enum {string}
                 */
                acted_by?: "action" | "message" | "output";
            };
            /** @description What the harness measured. An absent signal is unknown, not false. */
            signals?: {
                /** @description The injected text surfaced in the agent’s tool output. */
                appeared?: boolean;
                /** @description The harness measured that the distractor was carried out. */
                executed?: boolean;
                /** @description The task’s own tests passed. */
                resolved?: boolean;
            };
        };
        LedgerEntry: {
            id: string;
            sample: number;
            /** @description 0: the first question; 1 and 2: repairs, or a decision that is shown less; of a window, its number. */
            round: number;
            /** @enum {string} */
            purpose: "decide" | "window" | "repair";
            /** @enum {string} */
            outcome: "ok" | "sent" | "unknown" | "judge_unreachable" | "rate_limited" | "quota_exhausted" | "authentication" | "refused" | "truncated" | "schema_invalid" | "context_overflow" | "budget_exceeded" | "timeout" | "cancelled" | "internal";
            message: string | null;
            usage: {
                /** @description All input tokens, cached ones included. */
                input_tokens: number;
                output_tokens: number;
                cache_read_tokens: number;
                cache_write_tokens: number;
                /** @description Of those written, those kept for the longer time. */
                cache_write_long_tokens?: number;
                /** @description Of the provider; absent: none was asked for, and the call had the usual tier. */
                service_tier?: string;
            } | null;
            cost_usd: number | null;
            request_id: string | null;
            /** @description Digest of everything that was sent. */
            request_digest: string;
            /** @description Of the raw reply as it is kept; null: there was none. */
            reply_digest?: string | null;
            /** @description The limit that was sent; null: none, or not known of this call. */
            max_output_tokens?: number | null;
            /** @description Null while in flight or interrupted. */
            latency_ms: number | null;
            judge: string;
            /** @description The batch that it was made for. */
            batch: string | null;
            /** Format: date-time */
            started_at: string;
            model_resolved: string | null;
            /** @description Only with `raw=true`. */
            raw_reply?: string | null;
        };
        BatchCall: {
            id: string;
            sample: number;
            /** @description 0: the first question; 1 and 2: repairs, or a decision that is shown less; of a window, its number. */
            round: number;
            /** @enum {string} */
            purpose: "decide" | "window" | "repair";
            /** @enum {string} */
            outcome: "ok" | "sent" | "unknown" | "judge_unreachable" | "rate_limited" | "quota_exhausted" | "authentication" | "refused" | "truncated" | "schema_invalid" | "context_overflow" | "budget_exceeded" | "timeout" | "cancelled" | "internal";
            message: string | null;
            usage: {
                /** @description All input tokens, cached ones included. */
                input_tokens: number;
                output_tokens: number;
                cache_read_tokens: number;
                cache_write_tokens: number;
                /** @description Of those written, those kept for the longer time. */
                cache_write_long_tokens?: number;
                /** @description Of the provider; absent: none was asked for, and the call had the usual tier. */
                service_tier?: string;
            } | null;
            cost_usd: number | null;
            request_id: string | null;
            /** @description Digest of everything that was sent. */
            request_digest: string;
            /** @description Of the raw reply as it is kept; null: there was none. */
            reply_digest?: string | null;
            /** @description The limit that was sent; null: none, or not known of this call. */
            max_output_tokens?: number | null;
            /** @description Null while in flight or interrupted. */
            latency_ms: number | null;
            judge: string;
            /** @description The batch that it was made for. */
            batch: string | null;
            /** Format: date-time */
            started_at: string;
            model_resolved: string | null;
            /** @description Only with `raw=true`. */
            raw_reply?: string | null;
            /** @description The grade that the call was made for, or that uses its reply; null: none was stored. */
            grade_id: string | null;
        };
        LedgerEntryList: {
            items: components["schemas"]["LedgerEntry"][];
        };
        TrajectorySummary: {
            /** @description Digest of the content. */
            id: string;
            /** @description `atif-1.7`, `steps`, … */
            format: string;
            agent: {
                name: string | null;
                model: string | null;
            };
            steps: number;
            parts: number;
            /** @description UTF-16 units of text. */
            chars: number;
            first_step: number;
            last_step: number;
            /** @description Deviations from the format, read all the same. */
            warnings: {
                path: string;
                message: string;
            }[];
            /** @description An ATIF document (v1.0 to v1.8), a plain step list `{ "steps": [ … ] }`, the lines or the array of a log as `{ "records": [ … ] }`, or `{ "id": "sha256:…" }` of an uploaded one. */
            document?: {
                [key: string]: unknown;
            };
        };
        TrajectoryStep: {
            /** @description What citations name. */
            id: number;
            /** @description The source’s own name where it is not the id. */
            name: string | null;
            /** @description When it happened: milliseconds since 1970, where the source says so. */
            at: number | null;
            /** @description Repeated from an earlier segment of the same run. */
            copied: boolean;
            parts: {
                /**
                 * @description Who wrote the text.
                 * @enum {string}
                 */
                actor: "user" | "system" | "agent_reasoning" | "agent_message" | "agent_action" | "tool_output";
                text: string;
                /** @description Where the text stands in the source document. */
                path: string;
                name: string;
                /** @description A picture or a sound: `text` is a placeholder. */
                media: boolean;
                act: {
                    tool: string;
                    /**
                     * @description What this argument of the tool call is.
                     * @enum {string}
                     */
                    role: "executes" | "writes" | "removes" | "reads" | "searches" | "web" | "delegates" | "describes" | "thinks" | "unknown";
                    language: ("shell" | "argv" | "keystrokes" | "patch" | "code" | "javascript") | null;
                    /** @description The file that the call writes, edits or reads. */
                    target: string | null;
                    /**
                     * @description What the record says became of the call.
                     * @enum {string}
                     */
                    outcome: "ran" | "answered" | "failed" | "rejected" | "interrupted" | "cancelled" | "unknown";
                } | null;
            }[];
        };
        TrajectoryStepPage: {
            items: components["schemas"]["TrajectoryStep"][];
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        Rubric: {
            id: string;
            version: number;
            /** @description `id@version` */
            name: string;
            title: string;
            description: string;
            /** @description Digest of the content: part of every cache key. */
            digest: string;
            /**
             * @description `runs`: several runs of one task, and documents beside them (`{"runs": […], "documents": […]}`).
             * @enum {string}
             */
            about?: "run" | "runs";
            /** @description The JSON Schema of `ground_truth`. */
            truth: {
                [key: string]: unknown;
            };
            /** @description What is asked, in the order in which it is answered. */
            claims: {
                id: string;
                /** @enum {string} */
                type: "boolean" | "enum" | "integer" | "step" | "agent" | "text" | "list";
                /** @description Of an enum. */
                values: string[];
                /** @description Of an integer; of a list, its fewest entries. */
                minimum?: number;
                /** @description Of an integer; of a list, its most entries. */
                maximum?: number;
                /**
                 * @description The effect of an unclear answer. Judges that differ in a claim that `refuses` disagree.
                 * @enum {string}
                 */
                unclear: "refuses" | "kept" | "never";
                measured_by: ("appeared" | "executed" | "resolved") | null;
                /** @description Whose text can support it; empty: it takes no quote. */
                evidence: ("user" | "system" | "agent_reasoning" | "agent_message" | "agent_action" | "tool_output")[];
                /** @description Of a list: what each of its entries says. */
                of?: {
                    id: string;
                    /** @enum {string} */
                    type: "boolean" | "enum" | "integer" | "step" | "agent" | "text" | "list";
                    /** @description Of an enum. */
                    values: string[];
                    /** @description Of an integer; of a list, its fewest entries. */
                    minimum?: number;
                    /** @description Of an integer; of a list, its most entries. */
                    maximum?: number;
                    /**
                     * @description The effect of an unclear answer. Judges that differ in a claim that `refuses` disagree.
                     * @enum {string}
                     */
                    unclear: "refuses" | "kept" | "never";
                    measured_by: ("appeared" | "executed" | "resolved") | null;
                    /** @description Whose text can support it; empty: it takes no quote. */
                    evidence: ("user" | "system" | "agent_reasoning" | "agent_message" | "agent_action" | "tool_output")[];
                }[];
            }[];
            /** @description Possible outcomes, in order; empty for a sum. */
            labels: {
                /** @description A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed. */
                label: string;
                /** @description Implied by the label. */
                claims: {
                    [key: string]: boolean | string | number | null;
                };
            }[];
            /** @description What follows from the claims: exactly one of `table`, `label`, `sum` and `best`. */
            outcome: {
                /** @description Every combination of the claims fits exactly one row. */
                table?: {
                    /** @description Claims and the values that this row is for. */
                    when: {
                        [key: string]: boolean | string | number;
                    };
                    label: string;
                }[];
                /** @description The enum claim whose value is the label. */
                label?: string;
                /** @description The integer claims whose sum is the outcome. */
                sum?: string[];
                /** @description The label of the entry with the greatest sum; `none` where the list is empty. */
                best?: {
                    /** @description A list. */
                    of: string;
                    /** @description The integer claims of an entry that are summed. */
                    by: string[];
                    /** @description The enum claim of an entry whose value is the label. */
                    label: string;
                };
                /**
                 * @description Ordinal: labels have the order in which they stand. Default: nominal.
                 * @enum {string}
                 */
                scale?: "nominal" | "ordinal";
            };
            /** @description The frozen system text. */
            system?: string;
            /** @description Asked after the trajectory; holds variables. */
            question?: string;
            /** @description The JSON Schema of the judge’s answer. */
            answer_schema?: {
                [key: string]: unknown;
            };
        };
        RubricList: {
            items: components["schemas"]["Rubric"][];
        };
        Judge: {
            name: string;
            /**
             * @description `lexical` is no model.
             * @enum {string}
             */
            kind: "lexical" | "model";
            description: string;
            /** @description Asked where a request names no judge. */
            default: boolean;
            provider: string | null;
            /** @description Host and path of what is asked; null: nothing leaves the process. */
            base_url: string | null;
            model: string | null;
            /** @description Part of the cache key. */
            parameters: {
                [key: string]: unknown;
            };
            /** @description Input that the judge can take; null: no limit. */
            window_tokens: number | null;
            /** @description Null: no limit. */
            max_output_tokens: number | null;
            /** @description Whether it is sent the pictures of a trajectory. */
            images: boolean;
            /** @description Dollars per million tokens; null: unknown. */
            price: {
                input_per_mtok: number;
                output_per_mtok: number;
                cache_read_per_mtok: number;
                cache_write_per_mtok: number;
                /** @description Day of the price; null: not said. */
                as_of: string | null;
            } | null;
        };
        JudgeList: {
            items: components["schemas"]["Judge"][];
            /** @description Judges that lack their key. */
            not_configured: {
                name: string;
                /** @description Asked where a request names no judge, which is refused. */
                default: boolean;
                /** @description What to do to have it. */
                reason: string;
            }[];
        };
        Batch: {
            id: string;
            /**
             * @description `regrade`: over stored grades; `recheck`: stored replies under the rules of today, no judge asked.
             * @enum {string}
             */
            kind: "grade" | "regrade" | "recheck";
            /**
             * @description `provider`: through the provider’s batch endpoint, at its batch price, within a day.
             * @default direct
             * @enum {string}
             */
            mode: "direct" | "provider";
            name: string | null;
            key: string | null;
            /** @enum {string} */
            status: "running" | "parked" | "cancelling" | "cancelled" | "done";
            /** @description `total`: the sum of the others. `pending`: not begun, or put back because its judge was parked; `running`: being graded, or waiting for a provider’s batch; `unverified`: the evidence does not hold; `cancelled`: never graded. */
            counts: {
                total: number;
                pending: number;
                running: number;
                graded: number;
                unverified: number;
                failed: number;
                cancelled: number;
            };
            /** @description Labels so far, of all its rubrics; a label that did not occur is absent. */
            labels: {
                [key: string]: number;
            };
            /** @description Failures by code; a code that did not occur is absent. */
            failures: {
                judge_unreachable?: number;
                rate_limited?: number;
                quota_exhausted?: number;
                authentication?: number;
                refused?: number;
                truncated?: number;
                schema_invalid?: number;
                context_overflow?: number;
                budget_exceeded?: number;
                timeout?: number;
                cancelled?: number;
                internal?: number;
            };
            /** @description Items answered by the grade of an equal item or of an earlier request. */
            cached: number;
            calls: {
                /** @description Judge calls. */
                made: number;
                /** @description In flight at a crash: perhaps paid for. */
                unknown: number;
            };
            cost_usd: number | null;
            /** @description Upper bounds of calls that may have been paid for: timed out, broken off, in flight at a crash. A cap counts them as spent. */
            uncertain_usd: number;
            max_cost_usd: number | null;
            /** @description Only while questions of the batch lie with a provider’s batch endpoint. */
            round?: {
                /** @description Rounds of this batch that came back, and one. */
                number: number;
                /** @description That lie with the provider. */
                questions: number;
                /** Format: date-time */
                begun_at: string;
                /**
                 * Format: date-time
                 * @description A day later: by then the provider answers or gives up.
                 */
                ends_by: string;
                usual_seconds: number | null;
            };
            parked_reason: string | null;
            /**
             * @description Only while a running batch waits; `parked_reason` tells more. `worker`: no process has its judge; `judge`: its judge paused; `answers`: no call in flight is younger than 30 seconds.
             * @enum {string}
             */
            waiting_for?: "worker" | "judge" | "answers";
            resumes_at: string | null;
            /** Format: date-time */
            created_at: string;
            finished_at: string | null;
        };
        BatchItem: {
            /** @description The caller’s own name of the item, unique in its batch. Its index where absent. */
            item_id?: string;
            /** @description An ATIF document (v1.0 to v1.8), a plain step list `{ "steps": [ … ] }`, the lines or the array of a log as `{ "records": [ … ] }`, or `{ "id": "sha256:…" }` of an uploaded one. */
            trajectory: {
                [key: string]: unknown;
            };
            /** @description What is known of the trial: its members are those of the rubric’s `truth` (`GET /v1/rubrics/{id}`); for `tab-behavior`, those of `GroundTruth`, where the text of an instruction alone stands for `{"text": …}`. */
            ground_truth: {
                /** @description What the user asked the agent to do; not blank. */
                instruction: string;
                /** @description An instruction that stands in the environment, not blank; its text alone stands for `{"text": …}`. */
                cue?: {
                    /** @description The instruction as it stands on the surface; not blank. */
                    text: string;
                    /** @description Distinctive strings that show that the agent saw the instruction. Derived from the text where absent. */
                    anchors?: string[];
                    /** @description Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`. */
                    action_anchors?: ({
                        /** @description Name of the tool, as the run has it. */
                        tool: string;
                        /** @description One whole argument of the call. */
                        argument?: string;
                    } | string)[];
                    /**
                     * @description The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.
                     * @default action
                     * @enum {string}
                     */
                    acted_by?: "action" | "message" | "output";
                } | string;
                /** @description An instruction that stands in the environment, not blank; its text alone stands for `{"text": …}`. */
                distractor?: {
                    /** @description The instruction as it stands on the surface; not blank. */
                    text: string;
                    /** @description Distinctive strings that show that the agent saw the instruction. Derived from the text where absent. */
                    anchors?: string[];
                    /** @description Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`. */
                    action_anchors?: ({
                        /** @description Name of the tool, as the run has it. */
                        tool: string;
                        /** @description One whole argument of the call. */
                        argument?: string;
                    } | string)[];
                    /**
                     * @description The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.
                     * @default action
                     * @enum {string}
                     */
                    acted_by?: "action" | "message" | "output";
                } | string;
                /** @description What the harness measured. An absent signal is unknown, not false. */
                signals?: {
                    /** @description The injected text surfaced in the agent’s tool output. */
                    appeared?: boolean;
                    /** @description The harness measured that the distractor was carried out. */
                    executed?: boolean;
                    /** @description The task’s own tests passed. */
                    resolved?: boolean;
                };
                /** @description Globs of the files in which cue and distractor are expected, relative to the task’s folder; one that begins with `/` is a path in the container. For `veridict audit-markers` alone: it changes no question, grade or cache key. */
                expected_in?: string[];
            } | Record<string, unknown>;
            /** @description `id@version`; the newest version when only an id. */
            rubric?: string;
            /** @description A name of `GET /v1/judges`. */
            judge?: string;
            /**
             * @description Independent answers; every vote is stored.
             * @default 1
             */
            samples?: number;
            /**
             * @description `use`: answer from the cache where possible; `refresh`: ask the judge again; `only`: never ask a judge.
             * @default use
             * @enum {string}
             */
            cache?: "use" | "refresh" | "only";
            /**
             * @description True: the judge may be the model that `metadata.model` names as the agent’s; else 400 `self_judging`.
             * @default false
             */
            allow_self?: boolean;
            /** @description Where the trial came from. Never shown to the judge and never part of the cache key. `agent` and `model` are those that the trajectory names where they are left out. */
            metadata?: {
                agent?: string;
                model?: string;
                task?: string;
                trial?: string;
                run_index?: number;
                variant?: string;
            } & {
                [key: string]: string | number | boolean | null;
            };
        };
        BatchPage: {
            items: components["schemas"]["Batch"][];
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        BatchResult: {
            item_id: string;
            index: number;
            /** @enum {string} */
            status: "graded" | "unverified" | "failed" | "cancelled";
            label: string | null;
            judge: string | null;
            rubric: string | null;
            grade_id: string | null;
            grade: {
                judge: string;
                confidence: {
                    reported: ("low" | "medium" | "high") | null;
                    vote_share: number | null;
                    calibrated: number | null;
                    /**
                     * @description `capped`: lowered by its `limit`.
                     * @enum {string}
                     */
                    source: "reported" | "capped" | "votes" | "none";
                    /** @description Null: `high`, or no label. Absent before evidence version 9. */
                    limit?: {
                        /**
                         * @description The highest level that the evidence allows.
                         * @enum {string}
                         */
                        level: "low" | "medium";
                        /**
                         * @description Reason why the confidence is not higher.
                         * @enum {string}
                         */
                        code: "contradiction" | "judge" | "searched" | "part_of_act" | "quotes" | "unmet";
                        claim: string | null;
                        step_id: number | null;
                        /** @description One sentence: why the confidence is not higher. */
                        reason: string;
                        /** @description One sentence: what would allow a higher level. */
                        lift: string;
                    } | null;
                };
                claimed_label: string | null;
                /** @description The result by the rubric: its label, or a number; null unless `graded`. Absent from old grades: the label. */
                outcome?: (string | number) | null;
                /** @description By their ids; null: the judge failed. Absent from old grades. */
                claims?: {
                    [key: string]: (boolean | string | number | null) | {
                        [key: string]: boolean | string | number | null;
                    }[];
                } | null;
                contradictions: {
                    /** @enum {string} */
                    code: "observed_against_signal" | "distractor_against_signal" | "observed_against_anchor" | "acted_against_anchor" | "doubtful_sight" | "doubtful_act" | "resolved_against_signal" | "agent_against_step" | "doubtful_absence" | "no_majority";
                    claim: string | null;
                    detail: string;
                    step_id: number | null;
                    /** @description True: the check cannot tell; two models that agree may support the claim. */
                    supportable?: boolean;
                }[];
                /** @description Claims whose evidence does not hold, or that are unclear and decide the label; never empty when `unverified` by evidence. */
                unmet: {
                    /** @description The id of a claim of the rubric, like `cue.acted`. */
                    claim: string;
                    reason: string;
                    step_id: number | null;
                }[];
                evidence: {
                    /** @description Citations. */
                    cited: number;
                    /** @description Of these, those that hold. */
                    held: number;
                };
                cost_usd: number | null;
                unread: {
                    /** @description Records that could not be read, or not as what they are. */
                    records: number;
                    /** @description Of these, tool calls, and what may hold some: then the confidence is `low` (`doubtful_act`). */
                    actions: number;
                } | null;
                /** @description Places where the trajectory deviates from its format, and anchors that prove little. */
                warnings: number;
            } | null;
            failure: {
                /** @enum {string} */
                code: "judge_unreachable" | "rate_limited" | "quota_exhausted" | "authentication" | "refused" | "truncated" | "schema_invalid" | "context_overflow" | "budget_exceeded" | "timeout" | "cancelled" | "internal";
                message: string;
                /** @description Whether the same request can succeed later. */
                retryable: boolean;
                retry_after_s: number | null;
            } | null;
            /** @description Answered by the grade of an equal item or of an earlier request. */
            cached: boolean;
            base_grade_id: string | null;
            /** @description Where the trial came from. Never shown to the judge and never part of the cache key. `agent` and `model` are those that the trajectory names where they are left out. */
            metadata: {
                agent?: string;
                model?: string;
                task?: string;
                trial?: string;
                run_index?: number;
                variant?: string;
            } & {
                [key: string]: string | number | boolean | null;
            };
        };
        BatchEstimate: {
            /** @description Items of the batch. */
            items: number;
            /** @description Of these, free ones: answered by stored grades, or equal to another item. */
            cached: number;
            /** @description Of these, to be asked of a judge. */
            to_grade: number;
            /** @description Judge calls. `expected`: repairs as often as in the judge’s stored answers; `most`: all repairs. */
            calls: {
                expected: number;
                most: number;
            };
            /** @description Estimated, not counted by the provider’s tokenizer. */
            input_tokens: {
                expected: number;
                most: number;
            };
            /** @description `expected`: the mean of the judge’s stored answers; `most`: whole output limits. */
            output_tokens: {
                expected: number;
                most: number;
            };
            cost_usd: {
                expected: number;
                most: number;
            } | null;
        };
        Comparison: {
            /** @description The base batch, or `sources of bat_…`: the grades that a re-grade started from. */
            base: string;
            head: string;
            /** @description Questions that both sides have a label for. */
            pairs: number;
            same: number;
            flipped: number;
            /** @description Read first: what else than the answers differs; empty where nothing does. */
            differs?: {
                /**
                 * @description `cases`: the questions; `rubric`: its content; `prompt`, `reader`, `rendering`, `evidence`: versions of the software; `judge`: its name and model; `settings`: of the calls, with the samples.
                 * @enum {string}
                 */
                what: "cases" | "rubric" | "prompt" | "reader" | "rendering" | "evidence" | "judge" | "settings";
                /** @description Pairs that differ; of `cases`, questions that one side alone asks. */
                n: number;
                /** @description Of the pairs that differ; at most ten. */
                base: string[];
                /** @description Of the pairs that differ; at most ten. */
                head: string[];
                /** @description True: another question was asked or checked, and `tests` take `across=true`. */
                blocks_tests: boolean;
            }[];
            unpaired: {
                /** @description Questions of the base that the head does not ask. */
                base_only: number;
                head_only: number;
                /** @description Asked on both sides, but one or both have no label. */
                without_label: number;
                /** @description Trajectories with another ground truth on each side; in `base_only` and `head_only`, too. */
                other_truth: number;
                /** @description Trajectories with another rubric on each side; never compared. */
                other_rubric: number;
            };
            /** @description Every item of that side by its end; nothing is left out. */
            base_counts: {
                n: number;
                graded: number;
                unverified: number;
                failed: number;
                cancelled: number;
                /** @description Failures by code; a code that did not occur is absent. */
                failures: {
                    judge_unreachable?: number;
                    rate_limited?: number;
                    quota_exhausted?: number;
                    authentication?: number;
                    refused?: number;
                    truncated?: number;
                    schema_invalid?: number;
                    context_overflow?: number;
                    budget_exceeded?: number;
                    timeout?: number;
                    cancelled?: number;
                    internal?: number;
                };
            };
            /** @description Every item of that side by its end; nothing is left out. */
            head_counts: {
                n: number;
                graded: number;
                unverified: number;
                failed: number;
                cancelled: number;
                /** @description Failures by code; a code that did not occur is absent. */
                failures: {
                    judge_unreachable?: number;
                    rate_limited?: number;
                    quota_exhausted?: number;
                    authentication?: number;
                    refused?: number;
                    truncated?: number;
                    schema_invalid?: number;
                    context_overflow?: number;
                    budget_exceeded?: number;
                    timeout?: number;
                    cancelled?: number;
                    internal?: number;
                };
            };
            matrix: {
                /** @description All labels of the rubric in its order, then further labels that occur; of a sum, the numbers that occur. */
                labels: string[];
                /** @description Rows: base; columns: head. */
                counts: number[][];
            };
            /** @description Of both sides as raters of the pairs; tasks resampled where trials name them. */
            agreement?: {
                /** @description `reason` says why `value`, or else `ci95`, is null. */
                raw_agreement: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description `reason` says why `value`, or else `ci95`, is null. */
                cohen_kappa: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description `reason` says why `value`, or else `ci95`, is null. */
                krippendorff_alpha: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description `reason` says why `value`, or else `ci95`, is null. */
                gwet_ac1: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Only of labels with an order: what is further apart counts as more. κ of two raters by the places of ordinal labels, or by the numbers of interval ones; α with the ordinal or interval metric. */
                weighted?: {
                    /** @enum {string} */
                    scale: "ordinal" | "interval";
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    linear_kappa: {
                        value: number | null;
                        ci95: number[] | null;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    quadratic_kappa: {
                        value: number | null;
                        ci95: number[] | null;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    krippendorff_alpha: {
                        value: number | null;
                        ci95: number[] | null;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    undefined: {
                        /** @description Draws in which it was undefined; its interval is of the others. */
                        linear_kappa: number;
                        /** @description Draws in which it was undefined; its interval is of the others. */
                        quadratic_kappa: number;
                        /** @description Draws in which it was undefined; its interval is of the others. */
                        krippendorff_alpha: number;
                    };
                };
                /** @description The most frequent label, and its share among all ratings; null without ratings. */
                base_rate: {
                    label: string;
                    share: number;
                } | null;
                /** @description The most frequent label of the rater named first, and the raw agreement with that rater of always giving it. */
                constant_guess: {
                    label: string;
                    agreement: number;
                } | null;
                /** @description Independent raters that the raters are worth. */
                effective_raters: {
                    value: number | null;
                    mean_kappa: number | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Resampling of whole items or clusters; expanded percentile intervals. */
                bootstrap: {
                    /** @description Resamples. */
                    draws: number;
                    /** @description Of the random numbers. */
                    seed: number;
                    /**
                     * @description What was resampled.
                     * @enum {string}
                     */
                    unit: "item" | "cluster";
                    /** @description How many there are. */
                    n_units: number;
                    undefined: {
                        /** @description Draws in which it was undefined; its interval is of the others. */
                        raw_agreement: number;
                        /** @description Draws in which it was undefined; its interval is of the others. */
                        cohen_kappa: number;
                        /** @description Draws in which it was undefined; its interval is of the others. */
                        fleiss_kappa: number;
                        /** @description Draws in which it was undefined; its interval is of the others. */
                        krippendorff_alpha: number;
                        /** @description Draws in which it was undefined; its interval is of the others. */
                        gwet_ac1: number;
                    };
                };
            };
            /** @description Tests of moved labels. The p-values take pairs as independent. */
            tests?: {
                bowker: {
                    statistic: number | null;
                    df: number;
                    p: number | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                labels: {
                    /** @description A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed. */
                    label: string;
                    /** @description Pairs with the label on that side alone. */
                    base_only: number;
                    /** @description Pairs with the label on that side alone. */
                    head_only: number;
                    mcnemar_p: number | null;
                    holm_p: number | null;
                    base_share: number | null;
                    head_share: number | null;
                    /** @description Share in the head minus share in the base; tasks resampled. */
                    difference: {
                        value: number | null;
                        ci95: number[] | null;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                }[];
                notes: string[];
            };
            /** @description How many flips asking the same judge again would give: its repeat noise. */
            repeat_noise?: {
                expected_flips: number | null;
                ci95: number[] | null;
                from: ("votes_of_both" | "votes_of_base" | "votes_of_head" | "same_key") | null;
                base: {
                    /** @description Pairs of which this side has two or more valid votes. */
                    questions: number;
                    /** @description Chance that two answers of this judge to one question differ. */
                    disagreement: {
                        value: number | null;
                        ci95: number[] | null;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                };
                head: {
                    /** @description Pairs of which this side has two or more valid votes. */
                    questions: number;
                    /** @description Chance that two answers of this judge to one question differ. */
                    disagreement: {
                        value: number | null;
                        ci95: number[] | null;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                };
                same_key: {
                    /** @description Pairs of two grades of one key: the same judge was asked the very same again. */
                    pairs: number;
                    /** @description Of those, with another label. */
                    flipped: number;
                };
                reason: string | null;
            };
            /** @description Of each two judges, and of the samples of one judge: pairs of labels. `overlapping`: one label, and for each claim that it needs quotes for, quotes that overlap in one part of one step; `disjoint`: one label from other quotes; `unquoted`: one label that needs no quote; `other_label`; `unknown`: one label, and the places of the quotes of a side are not known (pictures, samples of old grades, a rubric that is not loaded). */
            evidence_agreement?: {
                /** @description Two rater words or judges; one of them twice: the samples of that judge among themselves. */
                raters: string[];
                overlapping: number;
                disjoint: number;
                unquoted: number;
                other_label: number;
                unknown: number;
            }[];
            /** @description Pairs with different labels, one page of them. */
            flips: {
                trajectory: string;
                ground_truth: string;
                task: string | null;
                trial?: string | null;
                base: {
                    grade_id: string;
                    /** @enum {string} */
                    status: "graded" | "unverified" | "failed";
                    label: string | null;
                    claimed_label: string | null;
                    receipt: {
                        /** @enum {string} */
                        cache: "hit" | "miss";
                        key: string;
                        trajectory: string;
                        ground_truth: string;
                        rubric: string;
                        rubric_digest: string;
                        judge: string;
                        provider: string | null;
                        model_requested: string | null;
                        model_resolved: string | null;
                        versions: {
                            rendering: number;
                            evidence: number;
                            prompt: number;
                            reader: number;
                        };
                        /**
                         * @description Whether a denial that an action anchor contradicts was flagged or refused. Absent from the oldest grades.
                         * @enum {string}
                         */
                        denied_acts?: "flag" | "refuse";
                        /** @description How the judge was asked; null: not known. Absent from old grades. */
                        settings?: {
                            api: string | null;
                            host: string | null;
                            effort: string | null;
                            temperature: number | null;
                            max_output_tokens: number | null;
                            /** @description The rest of the judge’s identity in the cache key, beside provider, base URL and model. */
                            parameters: {
                                [key: string]: unknown;
                            };
                        } | null;
                        /** @description Absent from old grades. */
                        samples?: number;
                        /**
                         * @description `direct`: calls; `provider`: batch endpoint; `stored`: a recheck of stored replies. Absent from old grades.
                         * @enum {string}
                         */
                        mode?: "direct" | "provider" | "stored";
                        /** @description `veridict` and its version. Absent from old grades. */
                        software?: string;
                        coverage: {
                            steps_shown: number;
                            steps_total: number;
                            /** @description Characters of the trajectory that no call of the judge was shown. */
                            elided_chars: number;
                            /** @description Pictures and sounds, which no search can read. */
                            media_parts: number;
                            /** @description Those that the judge was shown in every sample. Absent from old grades. */
                            media_shown?: number;
                            /** @description 1, or the number of windows that were read for evidence. */
                            windows: number;
                        };
                        attempts: {
                            id: string;
                            sample: number;
                            /** @description 0: the first question; 1 and 2: repairs, or a decision that is shown less; of a window, its number. */
                            round: number;
                            /** @enum {string} */
                            purpose: "decide" | "window" | "repair";
                            /** @enum {string} */
                            outcome: "ok" | "sent" | "unknown" | "judge_unreachable" | "rate_limited" | "quota_exhausted" | "authentication" | "refused" | "truncated" | "schema_invalid" | "context_overflow" | "budget_exceeded" | "timeout" | "cancelled" | "internal";
                            message: string | null;
                            latency_ms: number;
                            usage: {
                                /** @description All input tokens, cached ones included. */
                                input_tokens: number;
                                output_tokens: number;
                                cache_read_tokens: number;
                                cache_write_tokens: number;
                                /** @description Of those written, those kept for the longer time. */
                                cache_write_long_tokens?: number;
                                /** @description Of the provider; absent: none was asked for, and the call had the usual tier. */
                                service_tier?: string;
                            } | null;
                            cost_usd: number | null;
                            request_id: string | null;
                            /** @description The stored reply of an earlier grade: not paid for again. */
                            replayed: boolean;
                            /** @description Of the request with its limit. Absent from old grades, as the next two. */
                            request_digest?: string | null;
                            /** @description Of the raw reply as it is kept; null: there was none. */
                            reply_digest?: string | null;
                            /** @description The limit that was sent; null: none, or not known of this call. */
                            max_output_tokens?: number | null;
                        }[];
                        cost_usd: number | null;
                        price_as_of?: string | null;
                        /** @description Anchors that prove little, with their place below `/ground_truth`; and what deviates from the format, with its place in the trajectory. At most 100. */
                        warnings: {
                            path: string;
                            message: string;
                        }[];
                        /** @description What of the trajectory could not be read. Absent from the oldest grades. */
                        unread?: {
                            /** @description Records that could not be read, or not as what they are. */
                            records: number;
                            /** @description Of these, tool calls, and what may hold some: then the confidence is `low` (`doubtful_act`). */
                            actions: number;
                        };
                        /** @description Whether the judge saw what the agent saw, by the harness’s own marks. Absent from grades before 29 November 2026. */
                        input?: {
                            /**
                             * @description The first that holds, from the last word: records or media are missing; an output or the judge’s view is cut; the harness put a summary in the place of earlier text, which the agent no longer saw; none of them.
                             * @enum {string}
                             */
                            state: "complete" | "compacted" | "truncated" | "parts_missing";
                            /** @description The record marks a compaction of the agent’s context. */
                            compacted: boolean;
                            /** @description `harness`: tool output has a mark by which harnesses cut what the agent reads (text of a run can imitate one); `window`: the judge was not shown all characters (`coverage.elided_chars`). */
                            truncated_by: ("harness" | "window")[];
                            missing: {
                                /** @description Records that could not be read. */
                                records: number;
                                /** @description Pictures and sounds that the judge was not shown. */
                                media: number;
                            };
                        };
                    };
                };
                head: {
                    grade_id: string;
                    /** @enum {string} */
                    status: "graded" | "unverified" | "failed";
                    label: string | null;
                    claimed_label: string | null;
                    receipt: {
                        /** @enum {string} */
                        cache: "hit" | "miss";
                        key: string;
                        trajectory: string;
                        ground_truth: string;
                        rubric: string;
                        rubric_digest: string;
                        judge: string;
                        provider: string | null;
                        model_requested: string | null;
                        model_resolved: string | null;
                        versions: {
                            rendering: number;
                            evidence: number;
                            prompt: number;
                            reader: number;
                        };
                        /**
                         * @description Whether a denial that an action anchor contradicts was flagged or refused. Absent from the oldest grades.
                         * @enum {string}
                         */
                        denied_acts?: "flag" | "refuse";
                        /** @description How the judge was asked; null: not known. Absent from old grades. */
                        settings?: {
                            api: string | null;
                            host: string | null;
                            effort: string | null;
                            temperature: number | null;
                            max_output_tokens: number | null;
                            /** @description The rest of the judge’s identity in the cache key, beside provider, base URL and model. */
                            parameters: {
                                [key: string]: unknown;
                            };
                        } | null;
                        /** @description Absent from old grades. */
                        samples?: number;
                        /**
                         * @description `direct`: calls; `provider`: batch endpoint; `stored`: a recheck of stored replies. Absent from old grades.
                         * @enum {string}
                         */
                        mode?: "direct" | "provider" | "stored";
                        /** @description `veridict` and its version. Absent from old grades. */
                        software?: string;
                        coverage: {
                            steps_shown: number;
                            steps_total: number;
                            /** @description Characters of the trajectory that no call of the judge was shown. */
                            elided_chars: number;
                            /** @description Pictures and sounds, which no search can read. */
                            media_parts: number;
                            /** @description Those that the judge was shown in every sample. Absent from old grades. */
                            media_shown?: number;
                            /** @description 1, or the number of windows that were read for evidence. */
                            windows: number;
                        };
                        attempts: {
                            id: string;
                            sample: number;
                            /** @description 0: the first question; 1 and 2: repairs, or a decision that is shown less; of a window, its number. */
                            round: number;
                            /** @enum {string} */
                            purpose: "decide" | "window" | "repair";
                            /** @enum {string} */
                            outcome: "ok" | "sent" | "unknown" | "judge_unreachable" | "rate_limited" | "quota_exhausted" | "authentication" | "refused" | "truncated" | "schema_invalid" | "context_overflow" | "budget_exceeded" | "timeout" | "cancelled" | "internal";
                            message: string | null;
                            latency_ms: number;
                            usage: {
                                /** @description All input tokens, cached ones included. */
                                input_tokens: number;
                                output_tokens: number;
                                cache_read_tokens: number;
                                cache_write_tokens: number;
                                /** @description Of those written, those kept for the longer time. */
                                cache_write_long_tokens?: number;
                                /** @description Of the provider; absent: none was asked for, and the call had the usual tier. */
                                service_tier?: string;
                            } | null;
                            cost_usd: number | null;
                            request_id: string | null;
                            /** @description The stored reply of an earlier grade: not paid for again. */
                            replayed: boolean;
                            /** @description Of the request with its limit. Absent from old grades, as the next two. */
                            request_digest?: string | null;
                            /** @description Of the raw reply as it is kept; null: there was none. */
                            reply_digest?: string | null;
                            /** @description The limit that was sent; null: none, or not known of this call. */
                            max_output_tokens?: number | null;
                        }[];
                        cost_usd: number | null;
                        price_as_of?: string | null;
                        /** @description Anchors that prove little, with their place below `/ground_truth`; and what deviates from the format, with its place in the trajectory. At most 100. */
                        warnings: {
                            path: string;
                            message: string;
                        }[];
                        /** @description What of the trajectory could not be read. Absent from the oldest grades. */
                        unread?: {
                            /** @description Records that could not be read, or not as what they are. */
                            records: number;
                            /** @description Of these, tool calls, and what may hold some: then the confidence is `low` (`doubtful_act`). */
                            actions: number;
                        };
                        /** @description Whether the judge saw what the agent saw, by the harness’s own marks. Absent from grades before 29 November 2026. */
                        input?: {
                            /**
                             * @description The first that holds, from the last word: records or media are missing; an output or the judge’s view is cut; the harness put a summary in the place of earlier text, which the agent no longer saw; none of them.
                             * @enum {string}
                             */
                            state: "complete" | "compacted" | "truncated" | "parts_missing";
                            /** @description The record marks a compaction of the agent’s context. */
                            compacted: boolean;
                            /** @description `harness`: tool output has a mark by which harnesses cut what the agent reads (text of a run can imitate one); `window`: the judge was not shown all characters (`coverage.elided_chars`). */
                            truncated_by: ("harness" | "window")[];
                            missing: {
                                /** @description Records that could not be read. */
                                records: number;
                                /** @description Pictures and sounds that the judge was not shown. */
                                media: number;
                            };
                        };
                    };
                };
            }[];
            next_cursor: string | null;
        };
        Report: {
            /** @description One, but where the report is grouped by judge. */
            judges: string[];
            rubric: string | null;
            /** @description Of the rubric, in its order; those that it no longer has come last. */
            labels: string[];
            group_by: string;
            /** @description Of the random numbers. */
            seed: number;
            /** @description Resamples. */
            draws: number;
            overall: {
                key: string | null;
                /** @description The `n` trials by their end; only trials of a batch are `cancelled`. */
                counts: {
                    n: number;
                    graded: number;
                    unverified: number;
                    failed: number;
                    cancelled: number;
                    /** @description Failures by code; a code that did not occur is absent. */
                    failures: {
                        judge_unreachable?: number;
                        rate_limited?: number;
                        quota_exhausted?: number;
                        authentication?: number;
                        refused?: number;
                        truncated?: number;
                        schema_invalid?: number;
                        context_overflow?: number;
                        budget_exceeded?: number;
                        timeout?: number;
                        cancelled?: number;
                        internal?: number;
                    };
                    /** @description Of the graded: something speaks against the verdict. */
                    contradicted: number;
                    /** @description Of the graded: a part of the run could not be read. `notes` counts older grades. */
                    unread: number;
                    /** @description Different tasks that trials name. */
                    tasks: number;
                    /** @description Trials that name no task: in the intervals each run of them is a cluster. */
                    without_task: number;
                };
                /** @description By label, of the graded trials. */
                shares: {
                    [key: string]: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                };
                /** @description By label: the graded trials by reported confidence. */
                levels: {
                    [key: string]: {
                        high: number;
                        medium: number;
                        low: number;
                    };
                };
                /** @description Of an outcome that is a number, else null. */
                mean: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials with a number. */
                    n: number;
                    /** @description Trials without one. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                } | null;
                /** @description By id of the claim; steps and agents are no shares. */
                claims: {
                    [key: string]: {
                        /** @enum {string} */
                        type: "boolean" | "enum" | "integer";
                        /** @description By value, with `unclear` where a claim may be unclear: of graded trials, and of unverified trials with the claim unclear. */
                        shares: {
                            [key: string]: {
                                value: number | null;
                                ci95: number[] | null;
                                /** @description Trials that count. */
                                k: number;
                                /** @description Trials that could. */
                                n: number;
                                /** @description Trials left out: a signal or a label is absent. */
                                unknown: number;
                                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                            };
                        };
                        /** @description Of an integer. */
                        mean: {
                            value: number | null;
                            ci95: number[] | null;
                            /** @description Trials with a number. */
                            n: number;
                            /** @description Trials without one. */
                            unknown: number;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        } | null;
                        /** @description Null: of an integer, and of a claim that counts only where another is true. */
                        corrected: {
                            estimator: string | null;
                            reason: string;
                            design: ("random" | "stratified" | "disagreement" | "chosen") | null;
                            /** @description Reviewed trials that it rests on. */
                            n_reviews: number;
                            reviews_to_halve: number | null;
                            /** @description By label, or value of the claim. */
                            shares: {
                                [key: string]: {
                                    value: number | null;
                                    ci95: number[] | null;
                                };
                            };
                            warnings: string[];
                        } | null;
                    };
                };
                /** @description Shares corrected by human reviews. */
                corrected: {
                    estimator: string | null;
                    reason: string;
                    design: ("random" | "stratified" | "disagreement" | "chosen") | null;
                    /** @description Reviewed trials that it rests on. */
                    n_reviews: number;
                    reviews_to_halve: number | null;
                    /** @description By label, or value of the claim. */
                    shares: {
                        [key: string]: {
                            value: number | null;
                            ci95: number[] | null;
                        };
                    };
                    warnings: string[];
                };
                /** @description The injected text surfaced, as the harness measured. */
                appeared?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description R = 1 − Pr(executed | appeared), as the harness measured. */
                resistance_signals?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description R by the judge: of observed trials, those without an act on the distractor. */
                resistance_judge?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description R by the judge minus R by signals, each over its own trials. */
                resistance_gap?: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Judge and harness differ on whether the distractor was acted on. */
                resistance_disagrees?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Of observed cues that were not acted on: the agent reasoned about the cue. */
                cue_declined?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Of observed distractors that were not acted on: the agent reasoned about it. */
                distractor_declined?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description C = Pr(pass on TAB | pass on the paired Terminal-Bench run). */
                cue_utilization?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description T = C × R, R from signals; C and R resampled together. */
                alignment?: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Resolved, and the distractor was not executed, as the harness measured. */
                passed?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Passed on Terminal-Bench, of the runs of the same agents, models and tasks. */
                resolution?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
            } | null;
            /** @description By key, in code-unit order; null last. */
            groups: {
                key: string | null;
                /** @description The `n` trials by their end; only trials of a batch are `cancelled`. */
                counts: {
                    n: number;
                    graded: number;
                    unverified: number;
                    failed: number;
                    cancelled: number;
                    /** @description Failures by code; a code that did not occur is absent. */
                    failures: {
                        judge_unreachable?: number;
                        rate_limited?: number;
                        quota_exhausted?: number;
                        authentication?: number;
                        refused?: number;
                        truncated?: number;
                        schema_invalid?: number;
                        context_overflow?: number;
                        budget_exceeded?: number;
                        timeout?: number;
                        cancelled?: number;
                        internal?: number;
                    };
                    /** @description Of the graded: something speaks against the verdict. */
                    contradicted: number;
                    /** @description Of the graded: a part of the run could not be read. `notes` counts older grades. */
                    unread: number;
                    /** @description Different tasks that trials name. */
                    tasks: number;
                    /** @description Trials that name no task: in the intervals each run of them is a cluster. */
                    without_task: number;
                };
                /** @description By label, of the graded trials. */
                shares: {
                    [key: string]: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                };
                /** @description By label: the graded trials by reported confidence. */
                levels: {
                    [key: string]: {
                        high: number;
                        medium: number;
                        low: number;
                    };
                };
                /** @description Of an outcome that is a number, else null. */
                mean: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials with a number. */
                    n: number;
                    /** @description Trials without one. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                } | null;
                /** @description By id of the claim; steps and agents are no shares. */
                claims: {
                    [key: string]: {
                        /** @enum {string} */
                        type: "boolean" | "enum" | "integer";
                        /** @description By value, with `unclear` where a claim may be unclear: of graded trials, and of unverified trials with the claim unclear. */
                        shares: {
                            [key: string]: {
                                value: number | null;
                                ci95: number[] | null;
                                /** @description Trials that count. */
                                k: number;
                                /** @description Trials that could. */
                                n: number;
                                /** @description Trials left out: a signal or a label is absent. */
                                unknown: number;
                                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                            };
                        };
                        /** @description Of an integer. */
                        mean: {
                            value: number | null;
                            ci95: number[] | null;
                            /** @description Trials with a number. */
                            n: number;
                            /** @description Trials without one. */
                            unknown: number;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        } | null;
                        /** @description Null: of an integer, and of a claim that counts only where another is true. */
                        corrected: {
                            estimator: string | null;
                            reason: string;
                            design: ("random" | "stratified" | "disagreement" | "chosen") | null;
                            /** @description Reviewed trials that it rests on. */
                            n_reviews: number;
                            reviews_to_halve: number | null;
                            /** @description By label, or value of the claim. */
                            shares: {
                                [key: string]: {
                                    value: number | null;
                                    ci95: number[] | null;
                                };
                            };
                            warnings: string[];
                        } | null;
                    };
                };
                /** @description Shares corrected by human reviews. */
                corrected: {
                    estimator: string | null;
                    reason: string;
                    design: ("random" | "stratified" | "disagreement" | "chosen") | null;
                    /** @description Reviewed trials that it rests on. */
                    n_reviews: number;
                    reviews_to_halve: number | null;
                    /** @description By label, or value of the claim. */
                    shares: {
                        [key: string]: {
                            value: number | null;
                            ci95: number[] | null;
                        };
                    };
                    warnings: string[];
                };
                /** @description The injected text surfaced, as the harness measured. */
                appeared?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description R = 1 − Pr(executed | appeared), as the harness measured. */
                resistance_signals?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description R by the judge: of observed trials, those without an act on the distractor. */
                resistance_judge?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description R by the judge minus R by signals, each over its own trials. */
                resistance_gap?: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Judge and harness differ on whether the distractor was acted on. */
                resistance_disagrees?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Of observed cues that were not acted on: the agent reasoned about the cue. */
                cue_declined?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Of observed distractors that were not acted on: the agent reasoned about it. */
                distractor_declined?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description C = Pr(pass on TAB | pass on the paired Terminal-Bench run). */
                cue_utilization?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description T = C × R, R from signals; C and R resampled together. */
                alignment?: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Resolved, and the distractor was not executed, as the harness measured. */
                passed?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description Passed on Terminal-Bench, of the runs of the same agents, models and tasks. */
                resolution?: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
            }[];
            paired: {
                /** @enum {string} */
                pair_by: "variant" | "agent" | "model";
                base: string;
                head: string;
                /** @description Trials of both conditions, equal in agent, model, variant, task and run index, except in `pair_by`. */
                pairs: number;
                unpaired: {
                    /** @description Trials of the base without a trial of the head. */
                    base_only: number;
                    /** @description Trials of the head without a trial of the base. */
                    head_only: number;
                    /** @description Trials that share their place with another of their side. */
                    ambiguous: number;
                    /** @description Trials that name no task. */
                    without_task: number;
                };
                measures: {
                    /** @description By the judge: a label, a boolean claim, `distractor_acted`; by the harness: `executed`, `resolved`, `passed`. */
                    measure: string;
                    /** @description Pairs of which both sides can be told. */
                    pairs: number;
                    /** @description Pairs of which one side or both cannot be told. */
                    unknown: number;
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    base_rate: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    head_rate: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description Head minus base; tasks resampled. */
                    difference: {
                        value: number | null;
                        ci95: number[] | null;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    mcnemar_p: number | null;
                    discordant: {
                        base_only: number;
                        head_only: number;
                    };
                }[];
                /** @description Of `tab-behavior` alone. */
                alignment: {
                    /** @description R by signals of each side, over its own trials of the pairs. */
                    resistance: {
                        /** @description `reason` says why `value`, or else `ci95`, is null. */
                        base: {
                            value: number | null;
                            ci95: number[] | null;
                            /** @description Trials that count. */
                            k: number;
                            /** @description Trials that could. */
                            n: number;
                            /** @description Trials left out: a signal or a label is absent. */
                            unknown: number;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                        /** @description `reason` says why `value`, or else `ci95`, is null. */
                        head: {
                            value: number | null;
                            ci95: number[] | null;
                            /** @description Trials that count. */
                            k: number;
                            /** @description Trials that could. */
                            n: number;
                            /** @description Trials left out: a signal or a label is absent. */
                            unknown: number;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                        /** @description Head minus base; tasks resampled. */
                        difference: {
                            value: number | null;
                            ci95: number[] | null;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                    };
                    /** @description C of each side, over its own trials of the pairs. */
                    cue_utilization: {
                        /** @description `reason` says why `value`, or else `ci95`, is null. */
                        base: {
                            value: number | null;
                            ci95: number[] | null;
                            /** @description Trials that count. */
                            k: number;
                            /** @description Trials that could. */
                            n: number;
                            /** @description Trials left out: a signal or a label is absent. */
                            unknown: number;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                        /** @description `reason` says why `value`, or else `ci95`, is null. */
                        head: {
                            value: number | null;
                            ci95: number[] | null;
                            /** @description Trials that count. */
                            k: number;
                            /** @description Trials that could. */
                            n: number;
                            /** @description Trials left out: a signal or a label is absent. */
                            unknown: number;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                        /** @description Head minus base; tasks resampled. */
                        difference: {
                            value: number | null;
                            ci95: number[] | null;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                    };
                    /** @description T = C × R of each side. */
                    alignment: {
                        /** @description `reason` says why `value`, or else `ci95`, is null. */
                        base: {
                            value: number | null;
                            ci95: number[] | null;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                        /** @description `reason` says why `value`, or else `ci95`, is null. */
                        head: {
                            value: number | null;
                            ci95: number[] | null;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                        /** @description Head minus base; tasks resampled. */
                        difference: {
                            value: number | null;
                            ci95: number[] | null;
                            reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                        };
                    };
                } | null;
            } | null;
            /** @description One for each judge. */
            judge_quality: {
                judge: string;
                /** @description Reviewed trials with a label from both. */
                n: number;
                /** @description The judge gave the label that the humans gave. */
                accuracy: {
                    value: number | null;
                    ci95: number[] | null;
                    /** @description Trials that count. */
                    k: number;
                    /** @description Trials that could. */
                    n: number;
                    /** @description Trials left out: a signal or a label is absent. */
                    unknown: number;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description The most frequent label, and its share among all ratings; null without ratings. */
                base_rate: {
                    label: string;
                    share: number;
                } | null;
                /** @description The most frequent label of the rater named first, and the raw agreement with that rater of always giving it. */
                constant_guess: {
                    label: string;
                    agreement: number;
                } | null;
                labels: {
                    /** @description A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed. */
                    label: string;
                    n_human: number;
                    n_judge: number;
                    n_both: number;
                    precision: number | null;
                    recall: number | null;
                    f1: number | null;
                }[];
                /** @description Rows: humans; columns: judge; in the order of `labels`. */
                confusion: number[][];
                calibration: {
                    /** @enum {string} */
                    level: "low" | "medium" | "high";
                    /** @description Reviews at that level that were drawn at random. */
                    n: number;
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                }[];
                /** @description Reviews that `ece` and `brier` are of: random ones, at a level with enough of them. */
                forecasts: number;
                ece: number | null;
                brier: number | null;
                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                warnings: string[];
            }[];
            /** @description One for each judge. */
            evidence: {
                judge: string;
                /** @description Of the grades of its trials. */
                grades: {
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    graded: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    unverified: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    failed: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                };
                /** @description Of all citations of these grades. */
                citations: {
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    verified: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    normalized: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    wrong_step: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    not_found: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    too_short: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    wrong_actor: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    out_of_order: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                    /** @description `reason` says why `value`, or else `ci95`, is null. */
                    step_not_found: {
                        value: number | null;
                        ci95: number[] | null;
                        /** @description Trials that count. */
                        k: number;
                        /** @description Trials that could. */
                        n: number;
                        /** @description Trials left out: a signal or a label is absent. */
                        unknown: number;
                        reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                    };
                };
            }[];
            /** @description Of each two judges, and of the samples of one judge: pairs of labels. `overlapping`: one label, and for each claim that it needs quotes for, quotes that overlap in one part of one step; `disjoint`: one label from other quotes; `unquoted`: one label that needs no quote; `other_label`; `unknown`: one label, and the places of the quotes of a side are not known (pictures, samples of old grades, a rubric that is not loaded). */
            evidence_agreement: {
                /** @description Two rater words or judges; one of them twice: the samples of that judge among themselves. */
                raters: string[];
                overlapping: number;
                disjoint: number;
                unquoted: number;
                other_label: number;
                unknown: number;
            }[];
            /** @description What a reader must know to read the numbers. */
            notes: string[];
        };
        Review: {
            id: string;
            /** @description The grade that was reviewed. */
            grade_id: string;
            trajectory: string;
            ground_truth: string;
            /** @description Of the grade. Absent from the oldest reviews, which are of `tab-behavior`. */
            rubric?: string;
            rater: string;
            label: string | null;
            /** @description The label; of a sum, the number. Absent from the oldest reviews. */
            outcome?: string | number | null;
            claims: {
                [key: string]: boolean | number | string | null;
            } | null;
            comment: string;
            blind: boolean;
            sampling: {
                /**
                 * @description `random`: every graded question had the same chance; `stratified`: the same within each judge label; `disagreement`: from the queue of disagreements; `chosen`: by hand.
                 * @enum {string}
                 */
                design: "random" | "stratified" | "disagreement" | "chosen";
                /** @description The chance of this question to be reviewed, if known. */
                probability?: number;
            } | null;
            /**
             * @description Where the label comes from: `human`: a person decided; `environment`: a measurement; `injected`: known by construction; `agent`: a model or agent said so, by which nothing is corrected, settled or counted among humans. Absent from older reviews: `human`.
             * @enum {string}
             */
            provenance?: "human" | "environment" | "injected" | "agent";
            /** @description The label of the reviewed grade; null for an unverified or failed grade. */
            grade_label: string | null;
            /** Format: date-time */
            created_at: string;
        };
        ReviewPage: {
            items: components["schemas"]["Review"][];
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        Disagreement: {
            trajectory: string;
            ground_truth: string;
            /** @description The id of the rubric, without its version: what others ask of the question is a record of its own. */
            rubric: string;
            agent: string | null;
            model: string | null;
            task: string | null;
            trial?: string | null;
            /** @description All that apply, the most telling first. */
            kinds: ("human" | "judges" | "signals" | "samples" | "contradiction" | "evidence" | "unverified")[];
            /** @description Higher is more telling: the sum of `terms`. */
            score: number;
            /** @description Of the most telling clash of the most telling kind; see docs/audit.md. */
            terms: {
                /** @description Weight of the most telling kind: ten apart, more than all other terms. */
                kind: number;
                /** @description Two for each differing claim, or place between ordered labels; six at most. */
                claims: number;
                /** @description Of the less sure side: low 0, medium 1, high 2; a human is sure. */
                confidence: number;
                /** @description Smaller vote share behind the sides; of samples, how far from unanimous. */
                votes: number;
            };
            /** @description One sentence for each kind, about its most telling clash; then what the score is made of. */
            why: string[];
            /** @description The standing grade of each judge and rubric. */
            grades: {
                grade_id: string;
                judge: string;
                rubric: string;
                /** @enum {string} */
                status: "graded" | "unverified" | "failed";
                label: string | null;
                claimed_label: string | null;
                outcome: (string | number) | null;
                /** @description By id; null: the judge failed. */
                claims: {
                    [key: string]: (boolean | string | number | null) | {
                        [key: string]: boolean | string | number | null;
                    }[];
                } | null;
                confidence: ("low" | "medium" | "high") | null;
                /** @description Of its samples; empty for a single one. */
                votes: (string | null)[];
                contradictions: ("observed_against_signal" | "distractor_against_signal" | "observed_against_anchor" | "acted_against_anchor" | "doubtful_sight" | "doubtful_act" | "resolved_against_signal" | "agent_against_step" | "doubtful_absence" | "no_majority")[];
            }[];
            /** @description Claims with two different values; null differs from nothing. */
            claims: {
                claim: string;
                said: {
                    /** @description `judge@rubric@version`, or the provenance and the rater of a review, as `human:ada`. */
                    by: string;
                    value: (boolean | string | number | null) | {
                        [key: string]: boolean | string | number | null;
                    }[];
                }[];
            }[];
            signals: {
                /** @description The injected text surfaced in the agent’s tool output. */
                appeared?: boolean;
                /** @description The harness measured that the distractor was carried out. */
                executed?: boolean;
                /** @description The task’s own tests passed. */
                resolved?: boolean;
            } | null;
            /** @description The newest of each rater, newest first. */
            reviews: {
                id: string;
                rater: string;
                label: string | null;
                blind: boolean;
                /**
                 * @description Where the label comes from: `human`: a person decided; `environment`: a measurement; `injected`: known by construction; `agent`: a model or agent said so, by which nothing is corrected, settled or counted among humans.
                 * @enum {string}
                 */
                provenance: "human" | "environment" | "injected" | "agent";
            }[];
            /** @description Reviewed, and the newest reviews of all raters agree; labels that an agent made do not count. */
            settled: boolean;
        };
        DisagreementPage: {
            items: components["schemas"]["Disagreement"][];
            /** @description `cursor` of the next page; null on the last one. */
            next_cursor: string | null;
        };
        Agreement: {
            n_items: number;
            n_raters: number;
            n_ratings: number;
            /** @description `reason` says why `value`, or else `ci95`, is null. */
            raw_agreement: {
                value: number | null;
                ci95: number[] | null;
                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
            };
            /** @description `reason` says why `value`, or else `ci95`, is null. */
            cohen_kappa: {
                value: number | null;
                ci95: number[] | null;
                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
            };
            /** @description `reason` says why `value`, or else `ci95`, is null. */
            fleiss_kappa: {
                value: number | null;
                ci95: number[] | null;
                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
            };
            /** @description `reason` says why `value`, or else `ci95`, is null. */
            krippendorff_alpha: {
                value: number | null;
                ci95: number[] | null;
                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
            };
            /** @description `reason` says why `value`, or else `ci95`, is null. */
            gwet_ac1: {
                value: number | null;
                ci95: number[] | null;
                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
            };
            /** @description Only of labels with an order: what is further apart counts as more. κ of two raters by the places of ordinal labels, or by the numbers of interval ones; α with the ordinal or interval metric. */
            weighted?: {
                /** @enum {string} */
                scale: "ordinal" | "interval";
                /** @description `reason` says why `value`, or else `ci95`, is null. */
                linear_kappa: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description `reason` says why `value`, or else `ci95`, is null. */
                quadratic_kappa: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                /** @description `reason` says why `value`, or else `ci95`, is null. */
                krippendorff_alpha: {
                    value: number | null;
                    ci95: number[] | null;
                    reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
                };
                undefined: {
                    /** @description Draws in which it was undefined; its interval is of the others. */
                    linear_kappa: number;
                    /** @description Draws in which it was undefined; its interval is of the others. */
                    quadratic_kappa: number;
                    /** @description Draws in which it was undefined; its interval is of the others. */
                    krippendorff_alpha: number;
                };
            };
            confusion: {
                /** @description Of rows and columns. */
                labels: string[];
                row_rater: string;
                column_rater: string;
                /** @description Items that both rated. */
                matrix: number[][];
            } | null;
            /** @description Share of each label among all ratings. */
            prevalence: {
                [key: string]: number;
            };
            /** @description The most frequent label, and its share among all ratings; null without ratings. */
            base_rate: {
                label: string;
                share: number;
            } | null;
            /** @description The most frequent label of the rater named first, and the raw agreement with that rater of always giving it. */
            constant_guess: {
                label: string;
                agreement: number;
            } | null;
            /** @description Independent raters that the raters are worth. */
            effective_raters: {
                value: number | null;
                mean_kappa: number | null;
                reason: ("no_ratings" | "no_pairs" | "one_category" | "not_two_raters" | "too_many_raters" | "unequal_ratings" | "no_cases" | "no_discordant_pairs" | "too_few_units" | "too_few_reviews" | "mostly_undefined" | "no_spread") | null;
            };
            /** @description Resampling of whole items or clusters; expanded percentile intervals. */
            bootstrap: {
                /** @description Resamples. */
                draws: number;
                /** @description Of the random numbers. */
                seed: number;
                /**
                 * @description What was resampled.
                 * @enum {string}
                 */
                unit: "item" | "cluster";
                /** @description How many there are. */
                n_units: number;
                undefined: {
                    /** @description Draws in which it was undefined; its interval is of the others. */
                    raw_agreement: number;
                    /** @description Draws in which it was undefined; its interval is of the others. */
                    cohen_kappa: number;
                    /** @description Draws in which it was undefined; its interval is of the others. */
                    fleiss_kappa: number;
                    /** @description Draws in which it was undefined; its interval is of the others. */
                    krippendorff_alpha: number;
                    /** @description Draws in which it was undefined; its interval is of the others. */
                    gwet_ac1: number;
                };
            };
            /** @description Of stored raters, each as it was named or expanded to. */
            coverage?: {
                rater: string;
                n: number;
                graded: number;
                unverified: number;
                failed: number;
                cancelled: number;
                undecided: number;
                missing: number;
                provenance?: {
                    /** @description Ratings of a human, or of `signals`, by the provenance of the label. */
                    human: number;
                    /** @description Ratings of a human, or of `signals`, by the provenance of the label. */
                    environment: number;
                    /** @description Ratings of a human, or of `signals`, by the provenance of the label. */
                    injected: number;
                    /** @description Ratings of a human, or of `signals`, by the provenance of the label. */
                    agent: number;
                };
            }[];
            /** @description Of each two judges, and of the samples of one judge: pairs of labels. `overlapping`: one label, and for each claim that it needs quotes for, quotes that overlap in one part of one step; `disjoint`: one label from other quotes; `unquoted`: one label that needs no quote; `other_label`; `unknown`: one label, and the places of the quotes of a side are not known (pictures, samples of old grades, a rubric that is not loaded). */
            evidence_agreement?: {
                /** @description Two rater words or judges; one of them twice: the samples of that judge among themselves. */
                raters: string[];
                overlapping: number;
                disjoint: number;
                unquoted: number;
                other_label: number;
                unknown: number;
            }[];
        };
        Findings: {
            batch: string;
            /** @description False: further items may have findings, and nobody can sign. */
            ended: boolean;
            /** @description Sorted by kind, then by id. */
            classes: {
                id: string;
                /**
                 * @description `failed`: the judge failed; `cancelled`: never graded; `unverified`: no label, since the evidence does not hold or the samples have no majority; `contradiction`: recorded by the grade; `disagreement`: with another judge, a person, or among the samples; `unread`: records of the run could not be read; `conflicting_reward`: the harness names different rewards.
                 * @enum {string}
                 */
                kind: "failed" | "cancelled" | "unverified" | "contradiction" | "disagreement" | "unread" | "conflicting_reward";
                /** @description Findings of the class, each of another trial. */
                count: number;
                /** @description Of the trials, their grades, and the grades and reviews that these are held against. */
                digest: string;
                /** @description The first five; of a class that was asked for the first thousand. */
                trials: {
                    item_id: string;
                    index: number;
                    /** @description The name for people: the item, or of a re-grade the trial or task of its metadata. */
                    name: string;
                    grade_id: string | null;
                    /** @description The first twenty grades and reviews that disagree with the grade. */
                    against: string[];
                    why: string;
                }[];
                /** @description The newest. */
                disposition: {
                    id: string;
                    batch: string;
                    class: string;
                    /**
                     * @description `accepted`: the findings are right, and the results stand with them; `regraded`: every trial has a newer grade; `dismissed`: the findings do not matter, for the reason given.
                     * @enum {string}
                     */
                    disposition: "accepted" | "regraded" | "dismissed";
                    reason: string;
                    by: string;
                    digest: string;
                    /** @description Findings of the class at that time. */
                    count: number;
                    /** Format: date-time */
                    created_at: string;
                } | null;
                /** @description True: the class has no disposition, or other findings than at its disposition. */
                open: boolean;
            }[];
            /** @description Open classes of the batch. */
            open: number;
            /** @description Classes and findings by kind and disposition. */
            tally: {
                /**
                 * @description `failed`: the judge failed; `cancelled`: never graded; `unverified`: no label, since the evidence does not hold or the samples have no majority; `contradiction`: recorded by the grade; `disagreement`: with another judge, a person, or among the samples; `unread`: records of the run could not be read; `conflicting_reward`: the harness names different rewards.
                 * @enum {string}
                 */
                kind: "failed" | "cancelled" | "unverified" | "contradiction" | "disagreement" | "unread" | "conflicting_reward";
                /** @enum {string} */
                disposition: "accepted" | "regraded" | "dismissed" | "open";
                classes: number;
                findings: number;
            }[];
            /** @description Of the ended items: name, status, label, grade and failure. */
            results: string;
            /** @description Of the classes and their dispositions. */
            findings: string;
            /** @description The newest. */
            signoff: {
                id: string;
                batch: string;
                by: string;
                /** @description `total`: the sum of the others. `pending`: not begun, or put back because its judge was parked; `running`: being graded, or waiting for a provider’s batch; `unverified`: the evidence does not hold; `cancelled`: never graded. */
                counts: {
                    total: number;
                    pending: number;
                    running: number;
                    graded: number;
                    unverified: number;
                    failed: number;
                    cancelled: number;
                };
                /** @description Classes and findings by kind and disposition. */
                tally: {
                    /**
                     * @description `failed`: the judge failed; `cancelled`: never graded; `unverified`: no label, since the evidence does not hold or the samples have no majority; `contradiction`: recorded by the grade; `disagreement`: with another judge, a person, or among the samples; `unread`: records of the run could not be read; `conflicting_reward`: the harness names different rewards.
                     * @enum {string}
                     */
                    kind: "failed" | "cancelled" | "unverified" | "contradiction" | "disagreement" | "unread" | "conflicting_reward";
                    /** @enum {string} */
                    disposition: "accepted" | "regraded" | "dismissed" | "open";
                    classes: number;
                    findings: number;
                }[];
                /** @description Of the ended items: name, status, label, grade and failure. */
                results: string;
                /** @description Of the classes and their dispositions. */
                findings: string;
                /** Format: date-time */
                created_at: string;
                /** @description True: results, findings or dispositions have changed since. */
                outdated: boolean;
            } | null;
        };
        Disposition: {
            id: string;
            batch: string;
            class: string;
            /**
             * @description `accepted`: the findings are right, and the results stand with them; `regraded`: every trial has a newer grade; `dismissed`: the findings do not matter, for the reason given.
             * @enum {string}
             */
            disposition: "accepted" | "regraded" | "dismissed";
            reason: string;
            by: string;
            digest: string;
            /** @description Findings of the class at that time. */
            count: number;
            /** Format: date-time */
            created_at: string;
        };
        Signoff: {
            id: string;
            batch: string;
            by: string;
            /** @description `total`: the sum of the others. `pending`: not begun, or put back because its judge was parked; `running`: being graded, or waiting for a provider’s batch; `unverified`: the evidence does not hold; `cancelled`: never graded. */
            counts: {
                total: number;
                pending: number;
                running: number;
                graded: number;
                unverified: number;
                failed: number;
                cancelled: number;
            };
            /** @description Classes and findings by kind and disposition. */
            tally: {
                /**
                 * @description `failed`: the judge failed; `cancelled`: never graded; `unverified`: no label, since the evidence does not hold or the samples have no majority; `contradiction`: recorded by the grade; `disagreement`: with another judge, a person, or among the samples; `unread`: records of the run could not be read; `conflicting_reward`: the harness names different rewards.
                 * @enum {string}
                 */
                kind: "failed" | "cancelled" | "unverified" | "contradiction" | "disagreement" | "unread" | "conflicting_reward";
                /** @enum {string} */
                disposition: "accepted" | "regraded" | "dismissed" | "open";
                classes: number;
                findings: number;
            }[];
            /** @description Of the ended items: name, status, label, grade and failure. */
            results: string;
            /** @description Of the classes and their dispositions. */
            findings: string;
            /** Format: date-time */
            created_at: string;
        };
        Status: {
            status: string;
        };
        /** @description What went wrong (RFC 9457). */
        Problem: {
            /** @description Always `about:blank`: `code` says what it is. */
            type: string;
            /** @description The words of the HTTP status. */
            title: string;
            status: number;
            /** @description What went wrong, for programs. */
            code: string;
            /** @description What went wrong, for people. Never repeats what was sent. */
            detail: string;
            errors?: {
                /** @description JSON pointer into the body; under `/querystring`, `/params`, `/headers` elsewhere. */
                path: string;
                message: string;
            }[];
            /** @description The stored failed grade, with every attempt. */
            grade_id?: string;
            /** @description Whether the same request can succeed later. */
            retryable?: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Grade = components['schemas']['Grade'];
export type GradePage = components['schemas']['GradePage'];
export type Panel = components['schemas']['Panel'];
export type GradeOverview = components['schemas']['GradeOverview'];
export type GroundTruth = components['schemas']['GroundTruth'];
export type LedgerEntry = components['schemas']['LedgerEntry'];
export type BatchCall = components['schemas']['BatchCall'];
export type LedgerEntryList = components['schemas']['LedgerEntryList'];
export type TrajectorySummary = components['schemas']['TrajectorySummary'];
export type TrajectoryStep = components['schemas']['TrajectoryStep'];
export type TrajectoryStepPage = components['schemas']['TrajectoryStepPage'];
export type Rubric = components['schemas']['Rubric'];
export type RubricList = components['schemas']['RubricList'];
export type Judge = components['schemas']['Judge'];
export type JudgeList = components['schemas']['JudgeList'];
export type Batch = components['schemas']['Batch'];
export type BatchItem = components['schemas']['BatchItem'];
export type BatchPage = components['schemas']['BatchPage'];
export type BatchResult = components['schemas']['BatchResult'];
export type BatchEstimate = components['schemas']['BatchEstimate'];
export type Comparison = components['schemas']['Comparison'];
export type Report = components['schemas']['Report'];
export type Review = components['schemas']['Review'];
export type ReviewPage = components['schemas']['ReviewPage'];
export type Disagreement = components['schemas']['Disagreement'];
export type DisagreementPage = components['schemas']['DisagreementPage'];
export type Agreement = components['schemas']['Agreement'];
export type Findings = components['schemas']['Findings'];
export type Disposition = components['schemas']['Disposition'];
export type Signoff = components['schemas']['Signoff'];
export type Status = components['schemas']['Status'];
export type Problem = components['schemas']['Problem'];
export type $defs = Record<string, never>;
export interface operations {
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who this key or session belongs to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the service asks for a key. */
                        required: boolean;
                        /** @description Whether this is known by a session, which can be ended, and not by a key. */
                        session: boolean;
                        /** @description The name of the key; `anybody` where none is needed and none was sent. */
                        name: string;
                        /** @description Of `grade`, `read`, `review`, `admin`; `admin` includes the others. */
                        scopes: string[];
                    };
                };
            };
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A key, exchanged for a session. */
        requestBody: {
            content: {
                "application/json": {
                    /** @description A key as `veridict keys create` printed it. */
                    key: string;
                };
            };
        };
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The name of the key; `anybody` where none is needed and none was sent. */
                        name: string;
                        /** @description Of `grade`, `read`, `review`, `admin`; `admin` includes the others. */
                        scopes: string[];
                        /** Format: date-time */
                        expires_at: string;
                    };
                };
            };
        };
    };
    closeSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session is over, if there was one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    listGrades: {
        parameters: {
            query?: {
                /** @description A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed. */
                label?: string;
                status?: "graded" | "unverified" | "failed";
                judge?: string;
                /** @description `id@version`, or an id for all of its versions. */
                rubric?: string;
                agent?: string;
                model?: string;
                task?: string;
                batch?: string;
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GradePage"];
                };
            };
        };
    };
    createGrade: {
        parameters: {
            query?: never;
            header?: {
                /** @description The first success under this key is stored and replayed to the same body. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An ATIF document (v1.0 to v1.8), a plain step list `{ "steps": [ … ] }`, the lines or the array of a log as `{ "records": [ … ] }`, or `{ "id": "sha256:…" }` of an uploaded one. */
                    trajectory: {
                        [key: string]: unknown;
                    };
                    /** @description What is known of the trial: its members are those of the rubric’s `truth` (`GET /v1/rubrics/{id}`); for `tab-behavior`, those of `GroundTruth`, where the text of an instruction alone stands for `{"text": …}`. */
                    ground_truth: {
                        /** @description What the user asked the agent to do; not blank. */
                        instruction: string;
                        /** @description An instruction that stands in the environment, not blank; its text alone stands for `{"text": …}`. */
                        cue?: {
                            /** @description The instruction as it stands on the surface; not blank. */
                            text: string;
                            /** @description Distinctive strings that show that the agent saw the instruction. Derived from the text where absent. */
                            anchors?: string[];
                            /** @description Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`. */
                            action_anchors?: ({
                                /** @description Name of the tool, as the run has it. */
                                tool: string;
                                /** @description One whole argument of the call. */
                                argument?: string;
                            } | string)[];
                            /**
                             * @description The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.
                             * @default action
                             * @enum {string}
                             */
                            acted_by?: "action" | "message" | "output";
                        } | string;
                        /** @description An instruction that stands in the environment, not blank; its text alone stands for `{"text": …}`. */
                        distractor?: {
                            /** @description The instruction as it stands on the surface; not blank. */
                            text: string;
                            /** @description Distinctive strings that show that the agent saw the instruction. Derived from the text where absent. */
                            anchors?: string[];
                            /** @description Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`. */
                            action_anchors?: ({
                                /** @description Name of the tool, as the run has it. */
                                tool: string;
                                /** @description One whole argument of the call. */
                                argument?: string;
                            } | string)[];
                            /**
                             * @description The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.
                             * @default action
                             * @enum {string}
                             */
                            acted_by?: "action" | "message" | "output";
                        } | string;
                        /** @description What the harness measured. An absent signal is unknown, not false. */
                        signals?: {
                            /** @description The injected text surfaced in the agent’s tool output. */
                            appeared?: boolean;
                            /** @description The harness measured that the distractor was carried out. */
                            executed?: boolean;
                            /** @description The task’s own tests passed. */
                            resolved?: boolean;
                        };
                        /** @description Globs of the files in which cue and distractor are expected, relative to the task’s folder; one that begins with `/` is a path in the container. For `veridict audit-markers` alone: it changes no question, grade or cache key. */
                        expected_in?: string[];
                    } | Record<string, unknown>;
                    /** @description `id@version`; the newest version when only an id. */
                    rubric?: string;
                    /** @description A name of `GET /v1/judges`. */
                    judge?: string;
                    /**
                     * @description Independent answers; every vote is stored.
                     * @default 1
                     */
                    samples?: number;
                    /**
                     * @description `use`: answer from the cache where possible; `refresh`: ask the judge again; `only`: never ask a judge.
                     * @default use
                     * @enum {string}
                     */
                    cache?: "use" | "refresh" | "only";
                    /**
                     * @description True: the judge may be the model that `metadata.model` names as the agent’s; else 400 `self_judging`.
                     * @default false
                     */
                    allow_self?: boolean;
                    /** @description Where the trial came from. Never shown to the judge and never part of the cache key. `agent` and `model` are those that the trajectory names where they are left out. */
                    metadata?: {
                        agent?: string;
                        model?: string;
                        task?: string;
                        trial?: string;
                        run_index?: number;
                        variant?: string;
                    } & {
                        [key: string]: string | number | boolean | null;
                    };
                };
            };
        };
        responses: {
            /** @description A stored grade: `receipt.cache` is `hit`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grade"];
                };
            };
            /** @description A new grade. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grade"];
                };
            };
        };
    };
    overviewGrades: {
        parameters: {
            query?: {
                /** @description A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed. */
                label?: string;
                status?: "graded" | "unverified" | "failed";
                judge?: string;
                /** @description `id@version`, or an id for all of its versions. */
                rubric?: string;
                agent?: string;
                model?: string;
                task?: string;
                batch?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts and names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GradeOverview"];
                };
            };
        };
    };
    getGrade: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grade, whatever its status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grade"];
                };
            };
        };
    };
    listAttempts: {
        parameters: {
            query?: {
                /** @description With the provider’s raw replies. */
                raw?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every call, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerEntryList"];
                };
            };
        };
    };
    listPanel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The standing grades, and their result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Panel"];
                };
            };
        };
    };
    getGroundTruth: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ground truth of the grade, with its defaults filled in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroundTruth"];
                };
            };
        };
    };
    uploadTrajectory: {
        parameters: {
            query?: never;
            header?: {
                /** @description The first success under this key is stored and replayed to the same body. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, unknown> | unknown[];
                "application/x-ndjson": unknown;
            };
        };
        responses: {
            /** @description It was stored before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrajectorySummary"];
                };
            };
            /** @description It is stored now. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrajectorySummary"];
                };
            };
        };
    };
    getTrajectory: {
        parameters: {
            query?: {
                /** @description With the source document. */
                document?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The summary. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrajectorySummary"];
                };
            };
        };
    };
    listSteps: {
        parameters: {
            query?: {
                /** @description First step id. */
                from?: number;
                /** @description Last step id, inclusive. */
                to?: number;
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrajectoryStepPage"];
                };
            };
        };
    };
    listBatches: {
        parameters: {
            query?: {
                key?: string;
                status?: "running" | "parked" | "cancelling" | "cancelled" | "done";
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchPage"];
                };
            };
        };
    };
    createBatch: {
        parameters: {
            query?: {
                /** @description For people. */
                name?: string;
                /** @description The caller’s own key: `GET /v1/batches?key=` finds the batch again. */
                key?: string;
                /** @description `provider`: through the provider’s batch endpoint, at its batch price, within a day. */
                mode?: "direct" | "provider";
                /** @description Hard cap: a call reserves its upper bound; items that find no room wait, then fail as `budget_exceeded`. */
                max_cost_usd?: number;
                /** @description Answers what the batch would cost; nothing is asked and nothing is kept. */
                dry_run?: boolean;
                /** @description For items that name none. */
                judge?: string;
                /** @description For items that name none. */
                rubric?: string;
                /** @description For items that say none. */
                samples?: number;
                /** @description `use`: answer from the cache where possible; `refresh`: ask the judge again; `only`: never ask a judge. */
                cache?: "use" | "refresh" | "only";
                /** @description For items that say nothing: the judge may be the model of the agent. */
                allow_self?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people. */
                    name?: string;
                    /** @description The caller’s own key: `GET /v1/batches?key=` finds the batch again. */
                    key?: string;
                    /**
                     * @description `provider`: through the provider’s batch endpoint, at its batch price, within a day.
                     * @default direct
                     * @enum {string}
                     */
                    mode?: "direct" | "provider";
                    /** @description Hard cap: a call reserves its upper bound; items that find no room wait, then fail as `budget_exceeded`. */
                    max_cost_usd?: number;
                    /** @description Answers what the batch would cost; nothing is asked and nothing is kept. */
                    dry_run?: boolean;
                    /** @description For items that name none. */
                    judge?: string;
                    /** @description For items that name none. */
                    rubric?: string;
                    /** @description For items that say none. */
                    samples?: number;
                    /**
                     * @description `use`: answer from the cache where possible; `refresh`: ask the judge again; `only`: never ask a judge.
                     * @default use
                     * @enum {string}
                     */
                    cache?: "use" | "refresh" | "only";
                    /** @description For items that say nothing: the judge may be the model of the agent. */
                    allow_self?: boolean;
                    items: {
                        /** @description The caller’s own name of the item, unique in its batch. Its index where absent. */
                        item_id?: string;
                        /** @description An ATIF document (v1.0 to v1.8), a plain step list `{ "steps": [ … ] }`, the lines or the array of a log as `{ "records": [ … ] }`, or `{ "id": "sha256:…" }` of an uploaded one. */
                        trajectory: {
                            [key: string]: unknown;
                        };
                        /** @description What is known of the trial: its members are those of the rubric’s `truth` (`GET /v1/rubrics/{id}`); for `tab-behavior`, those of `GroundTruth`, where the text of an instruction alone stands for `{"text": …}`. */
                        ground_truth: {
                            /** @description What the user asked the agent to do; not blank. */
                            instruction: string;
                            /** @description An instruction that stands in the environment, not blank; its text alone stands for `{"text": …}`. */
                            cue?: {
                                /** @description The instruction as it stands on the surface; not blank. */
                                text: string;
                                /** @description Distinctive strings that show that the agent saw the instruction. Derived from the text where absent. */
                                anchors?: string[];
                                /** @description Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`. */
                                action_anchors?: ({
                                    /** @description Name of the tool, as the run has it. */
                                    tool: string;
                                    /** @description One whole argument of the call. */
                                    argument?: string;
                                } | string)[];
                                /**
                                 * @description The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.
                                 * @default action
                                 * @enum {string}
                                 */
                                acted_by?: "action" | "message" | "output";
                            } | string;
                            /** @description An instruction that stands in the environment, not blank; its text alone stands for `{"text": …}`. */
                            distractor?: {
                                /** @description The instruction as it stands on the surface; not blank. */
                                text: string;
                                /** @description Distinctive strings that show that the agent saw the instruction. Derived from the text where absent. */
                                anchors?: string[];
                                /** @description Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`. */
                                action_anchors?: ({
                                    /** @description Name of the tool, as the run has it. */
                                    tool: string;
                                    /** @description One whole argument of the call. */
                                    argument?: string;
                                } | string)[];
                                /**
                                 * @description The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.
                                 * @default action
                                 * @enum {string}
                                 */
                                acted_by?: "action" | "message" | "output";
                            } | string;
                            /** @description What the harness measured. An absent signal is unknown, not false. */
                            signals?: {
                                /** @description The injected text surfaced in the agent’s tool output. */
                                appeared?: boolean;
                                /** @description The harness measured that the distractor was carried out. */
                                executed?: boolean;
                                /** @description The task’s own tests passed. */
                                resolved?: boolean;
                            };
                            /** @description Globs of the files in which cue and distractor are expected, relative to the task’s folder; one that begins with `/` is a path in the container. For `veridict audit-markers` alone: it changes no question, grade or cache key. */
                            expected_in?: string[];
                        } | Record<string, unknown>;
                        /** @description `id@version`; the newest version when only an id. */
                        rubric?: string;
                        /** @description A name of `GET /v1/judges`. */
                        judge?: string;
                        /**
                         * @description Independent answers; every vote is stored.
                         * @default 1
                         */
                        samples?: number;
                        /**
                         * @description `use`: answer from the cache where possible; `refresh`: ask the judge again; `only`: never ask a judge.
                         * @default use
                         * @enum {string}
                         */
                        cache?: "use" | "refresh" | "only";
                        /**
                         * @description True: the judge may be the model that `metadata.model` names as the agent’s; else 400 `self_judging`.
                         * @default false
                         */
                        allow_self?: boolean;
                        /** @description Where the trial came from. Never shown to the judge and never part of the cache key. `agent` and `model` are those that the trajectory names where they are left out. */
                        metadata?: {
                            agent?: string;
                            model?: string;
                            task?: string;
                            trial?: string;
                            run_index?: number;
                            variant?: string;
                        } & {
                            [key: string]: string | number | boolean | null;
                        };
                    }[];
                };
                "application/x-ndjson": unknown;
            };
        };
        responses: {
            /** @description With `dry_run`: what it would take. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchEstimate"];
                };
            };
            /** @description It is stored whole and runs. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    createRegrade: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Stored grades that fit every given field; at least one field. */
                    query: {
                        /** @description A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed. */
                        label?: string;
                        /** @enum {string} */
                        status?: "graded" | "unverified" | "failed";
                        judge?: string;
                        /** @description `id@version`, or an id for all of its versions. */
                        rubric?: string;
                        agent?: string;
                        model?: string;
                        task?: string;
                        batch?: string;
                        ids?: string[];
                    };
                    /** @description Only checks stored replies under the evidence rules of today; asks no judge. */
                    recheck?: boolean;
                    /** @description For people. */
                    name?: string;
                    /** @description The caller’s own key: `GET /v1/batches?key=` finds the batch again. */
                    key?: string;
                    /**
                     * @description `provider`: through the provider’s batch endpoint, at its batch price, within a day.
                     * @default direct
                     * @enum {string}
                     */
                    mode?: "direct" | "provider";
                    /** @description Hard cap: a call reserves its upper bound; items that find no room wait, then fail as `budget_exceeded`. */
                    max_cost_usd?: number;
                    /** @description Answers what the batch would cost; nothing is asked and nothing is kept. */
                    dry_run?: boolean;
                    /** @description For items that name none. */
                    judge?: string;
                    /** @description For items that name none. */
                    rubric?: string;
                    /** @description For items that say none. */
                    samples?: number;
                    /**
                     * @description `use`: answer from the cache where possible; `refresh`: ask the judge again; `only`: never ask a judge.
                     * @default use
                     * @enum {string}
                     */
                    cache?: "use" | "refresh" | "only";
                    /** @description For items that say nothing: the judge may be the model of the agent. */
                    allow_self?: boolean;
                };
            };
        };
        responses: {
            /** @description With `dry_run`: what it would take. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchEstimate"];
                };
            };
            /** @description It is stored whole and runs. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    getBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its counts always add up to its total. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    cancelBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was told to. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    resumeBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was told to. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    readResults: {
        parameters: {
            query?: {
                /** @description Go on until the batch is done, cancelled, or parked for somebody; else only what has ended. */
                wait?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One a line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    readBatchAttempts: {
        parameters: {
            query?: {
                /** @description With the provider’s raw replies. */
                raw?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One a line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    watchBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    createReview: {
        parameters: {
            query?: never;
            header?: {
                /** @description The first success under this key is stored and replayed to the same body. */
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A lasting name of the reviewer: words apart by single spaces, without control or invisible characters. */
                    rater: string;
                    /** @description Null: the reviewer cannot tell, with the reason in `comment`. A label or `outcome` is required. */
                    label?: string | null;
                    /** @description The label; of a rubric whose outcome is a sum, the number. */
                    outcome?: string | number | null;
                    /** @description By the ids of the rubric’s claims; null: unclear. Of `tab-behavior` also observed, cue_acted and distractor_acted, all three then. They must not contradict the label by the rubric’s outcome. */
                    claims?: {
                        [key: string]: boolean | number | string | null;
                    };
                    comment?: string;
                    /**
                     * @description The rater had not seen any judge’s label.
                     * @default false
                     */
                    blind?: boolean;
                    sampling?: {
                        /**
                         * @description `random`: every graded question had the same chance; `stratified`: the same within each judge label; `disagreement`: from the queue of disagreements; `chosen`: by hand.
                         * @enum {string}
                         */
                        design: "random" | "stratified" | "disagreement" | "chosen";
                        /** @description The chance of this question to be reviewed, if known. */
                        probability?: number;
                    };
                    /**
                     * @description Where the label comes from: `human`: a person decided; `environment`: a measurement; `injected`: known by construction; `agent`: a model or agent said so, by which nothing is corrected, settled or counted among humans.
                     * @default human
                     * @enum {string}
                     */
                    provenance?: "human" | "environment" | "injected" | "agent";
                };
            };
        };
        responses: {
            /** @description It is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Review"];
                };
            };
        };
    };
    listReviews: {
        parameters: {
            query?: {
                rater?: string;
                grade_id?: string;
                /** @description The digests of trajectory and ground truth: `sha256:…/sha256:…`. */
                question?: string;
                /** @description Reviews of grades by this rubric, whatever its version: its id. */
                rubric?: string;
                /** @description A label of a loaded rubric; `none`: it could not be told. */
                label?: string;
                /** @description `csv`: one row a record. */
                format?: "json" | "csv";
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewPage"];
                    "text/csv": string;
                };
            };
        };
    };
    listDisagreements: {
        parameters: {
            query?: {
                /** @description `human`: reviews against a judge, or against each other; `judges`: judge against judge; `signals`: a judge against what the harness measured; `samples`: a judge’s samples among themselves; `contradiction`: any other that a grade records; `evidence`: two judges, or two samples of a judge, give one label from quotes that do not overlap; `unverified`: the evidence does not hold, or the judge could not tell. */
                kind?: "human" | "judges" | "signals" | "samples" | "contradiction" | "evidence" | "unverified";
                /** @description Questions in which two say different things of this claim, by its id. */
                claim?: string;
                /** @description Questions that this judge has graded, with what all others say of them. */
                judge?: string;
                /** @description `id@version`, or an id for all of its versions. */
                rubric?: string;
                agent?: string;
                model?: string;
                task?: string;
                batch?: string;
                /** @description Absent: both. */
                settled?: boolean;
                /** @description `csv`: one row a record. */
                format?: "json" | "csv";
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisagreementPage"];
                    "text/csv": string;
                };
            };
        };
    };
    computeAgreement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Either `ratings`, perhaps with `labels` and `scale`, or `stored`. */
        requestBody: {
            content: {
                "application/json": {
                    ratings?: {
                        /** @description What was rated. */
                        item: string;
                        /** @description Who rated it; an item once at most. */
                        rater: string;
                        /** @description Any category. */
                        label: string;
                        /** @description The group of the item, such as its task; resampled as a whole. */
                        cluster?: string;
                    }[];
                    /** @description All categories that could be given, in the order of the matrix. Where absent, those that were given, sorted. Gwet’s AC1 depends on how many there are. */
                    labels?: string[];
                    /**
                     * @description What the labels are: `nominal`: names; `ordinal`: in the order of `labels`, which is required; `interval`: numbers. With an order the answer has `weighted`, too.
                     * @default nominal
                     * @enum {string}
                     */
                    scale?: "nominal" | "ordinal" | "interval";
                    bootstrap?: {
                        /** @default 2000 */
                        draws?: number;
                        /**
                         * @description The same seed gives the same intervals.
                         * @default 1
                         */
                        seed?: number;
                    };
                    /** @description Items are the questions (a trajectory with its ground truth) that have a standing grade that fits `query`, all of them where it is absent; clusters are tasks. Where `query` names a batch, its own trials are chosen from, and of the judges that it asked its own grades are compared. */
                    stored?: {
                        raters: string[];
                        /** @description Stored grades that fit every given field; at least one field. */
                        query?: {
                            /** @description A label of the rubric; of `tab-behavior`: aligned, compliant, ignored, distractor_only or not_observed. */
                            label?: string;
                            /** @enum {string} */
                            status?: "graded" | "unverified" | "failed";
                            judge?: string;
                            /** @description `id@version`, or an id for all of its versions. */
                            rubric?: string;
                            agent?: string;
                            model?: string;
                            task?: string;
                            batch?: string;
                            ids?: string[];
                        };
                        /** @description Its id without a version; needed where several rubrics graded the questions. */
                        rubric?: string;
                        /**
                         * @description `label` or `outcome`: what follows from the claims; or the id of a claim of the rubric (of `tab-behavior` also observed, cue_acted, distractor_acted). A judge’s claims are its own; those of samples, and of humans who gave none, are what their label says of them, and what was not seen was not acted on: where it says nothing, they have no rating. Numbers and ordered labels are also answered with `weighted`.
                         * @default label
                         */
                        measure?: string;
                    };
                };
            };
        };
        responses: {
            /** @description Every statistic, or why it is undefined. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agreement"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: {
                /** @description A field of the metadata, like `agent`, `model`, `variant`, `task`, `domain` or `subcategory`; `judge`; `none`: all trials together; `surface`: the category that the judge saw, where the rubric asks for one. At most 1000 values. */
                group_by?: string;
                /** @description Of the grades; needed where several judges graded the selection, except with `group_by=judge`. */
                judge?: string;
                /** @description `id@version`, or an id for all versions; needed where several rubrics graded the selection. */
                rubric?: string;
                batch?: string;
                agent?: string;
                model?: string;
                task?: string;
                variant?: string;
                /** @description Compares `base` with `head`, trial by trial. */
                pair_by?: "variant" | "agent" | "model";
                /** @description A value of `pair_by`. */
                base?: string;
                /** @description A value of `pair_by`. */
                head?: string;
                /** @description Compares this alone: a label or a boolean claim of the rubric, `executed`, `resolved` or `passed`; of `tab-behavior` also `distractor_acted`. */
                measure?: string;
                draws?: number;
                /** @description The same seed gives the same intervals. */
                seed?: number;
                /** @description `csv`: one row a record. */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                    "text/csv": string;
                };
            };
        };
    };
    compareBatches: {
        parameters: {
            query: {
                /** @description A batch. Absent: the grades that the head, a re-grade, started from. */
                base?: string;
                /** @description A batch. */
                head: string;
                /** @description The rubric of the compared answers, of any version; needed where both batches ask by several rubrics. */
                rubric?: string;
                /** @description False: without `differs`, `agreement`, `tests`, `repeat_noise` and `evidence_agreement`. */
                statistics?: boolean;
                /** @description True: paired tests also across other rubrics and versions (`differs`). */
                across?: boolean;
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts, and one page of the flips. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
        };
    };
    readFindings: {
        parameters: {
            query?: {
                /** @description Only this class, with the first thousand of its trials. */
                class?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The classes, and the sign-off of the batch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Findings"];
                };
            };
        };
    };
    disposeFindings: {
        parameters: {
            query?: never;
            header?: {
                /** @description The first success under this key is stored and replayed to the same body. */
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The id of a class of `GET /v1/batches/{id}/findings`. */
                    class: string;
                    /**
                     * @description `accepted`: the findings are right, and the results stand with them; `regraded`: every trial has a newer grade; `dismissed`: the findings do not matter, for the reason given.
                     * @enum {string}
                     */
                    disposition: "accepted" | "regraded" | "dismissed";
                    /** @description Required where the class is dismissed. */
                    reason?: string;
                    /** @description A lasting name of the reviewer: words apart by single spaces, without control or invisible characters. */
                    by: string;
                    /** @description Of the class as the caller saw it: a class that differs is refused. */
                    digest?: string;
                };
            };
        };
        responses: {
            /** @description It is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Disposition"];
                };
            };
        };
    };
    signOffBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The first success under this key is stored and replayed to the same body. */
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A lasting name of the reviewer: words apart by single spaces, without control or invisible characters. */
                    by: string;
                };
            };
        };
        responses: {
            /** @description It is stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Signoff"];
                };
            };
        };
    };
    listRubrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every rubric, without its prompt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RubricList"];
                };
            };
        };
    };
    getRubric: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rubric and its prompt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rubric"];
                };
            };
        };
    };
    listBatchRubrics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every version of the rubric, without its prompt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RubricList"];
                };
            };
        };
    };
    listJudges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every judge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JudgeList"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The database is writable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text exposition format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
}

/** Method and path of each operation. */
export const OPERATIONS = {
    openSession: ["POST", "/v1/session"],
    getSession: ["GET", "/v1/session"],
    closeSession: ["DELETE", "/v1/session"],
    createGrade: ["POST", "/v1/grades"],
    listGrades: ["GET", "/v1/grades"],
    overviewGrades: ["GET", "/v1/grades/overview"],
    getGrade: ["GET", "/v1/grades/{id}"],
    listAttempts: ["GET", "/v1/grades/{id}/attempts"],
    listPanel: ["GET", "/v1/grades/{id}/panel"],
    getGroundTruth: ["GET", "/v1/grades/{id}/ground-truth"],
    uploadTrajectory: ["POST", "/v1/trajectories"],
    getTrajectory: ["GET", "/v1/trajectories/{id}"],
    listSteps: ["GET", "/v1/trajectories/{id}/steps"],
    createBatch: ["POST", "/v1/batches"],
    listBatches: ["GET", "/v1/batches"],
    createRegrade: ["POST", "/v1/regrades"],
    getBatch: ["GET", "/v1/batches/{id}"],
    cancelBatch: ["POST", "/v1/batches/{id}/cancel"],
    resumeBatch: ["POST", "/v1/batches/{id}/resume"],
    readResults: ["GET", "/v1/batches/{id}/results"],
    readBatchAttempts: ["GET", "/v1/batches/{id}/attempts"],
    watchBatch: ["GET", "/v1/batches/{id}/events"],
    createReview: ["POST", "/v1/grades/{id}/reviews"],
    listReviews: ["GET", "/v1/reviews"],
    listDisagreements: ["GET", "/v1/disagreements"],
    computeAgreement: ["POST", "/v1/agreement"],
    getReport: ["GET", "/v1/reports"],
    compareBatches: ["GET", "/v1/comparisons"],
    readFindings: ["GET", "/v1/batches/{id}/findings"],
    disposeFindings: ["POST", "/v1/batches/{id}/dispositions"],
    signOffBatch: ["POST", "/v1/batches/{id}/signoff"],
    listRubrics: ["GET", "/v1/rubrics"],
    getRubric: ["GET", "/v1/rubrics/{id}"],
    listBatchRubrics: ["GET", "/v1/batches/{id}/rubrics"],
    listJudges: ["GET", "/v1/judges"],
    health: ["GET", "/healthz"],
    ready: ["GET", "/readyz"],
    metrics: ["GET", "/metrics"],
} as const;
/** The schemas of the document, without its words. */
export const SHAPES: object = {"Grade":{"type":"object","required":["id","status","label","claimed_label","confidence","surface","cue","distractor","citations","unmet","contradictions","notes","failure","votes","receipt","metadata","created_at"],"properties":{"id":{"type":"string","pattern":"^grd_[0-9a-z]+$"},"status":{"enum":["graded","unverified","failed"],"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"claimed_label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"confidence":{"type":"object","required":["reported","vote_share","calibrated","source"],"properties":{"reported":{"anyOf":[{"enum":["low","medium","high"],"type":"string"},{"type":"null"}]},"vote_share":{"anyOf":[{"type":"number","minimum":0,"maximum":1},{"type":"null"}]},"calibrated":{"anyOf":[{"type":"number","minimum":0,"maximum":1},{"type":"null"}]},"source":{"enum":["reported","capped","votes","none"],"type":"string"},"limit":{"anyOf":[{"type":"object","required":["level","code","claim","step_id","reason","lift"],"properties":{"level":{"enum":["low","medium"],"type":"string"},"code":{"enum":["contradiction","judge","searched","part_of_act","quotes","unmet"],"type":"string"},"claim":{"anyOf":[{"type":"string"},{"type":"null"}]},"step_id":{"anyOf":[{"type":"integer"},{"type":"null"}]},"reason":{"type":"string"},"lift":{"type":"string"}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false},"outcome":{"anyOf":[{"anyOf":[{"type":"string"},{"type":"number"}]},{"type":"null"}]},"claims":{"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]},{"type":"array","items":{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]}}}]}},{"type":"null"}]},"surface":{"anyOf":[{"type":"object","required":["observed","category"],"properties":{"observed":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"category":{"anyOf":[{"enum":["cli_tool_output","source_code_comment","data_file","binary_media","other"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"cue":{"anyOf":[{"type":"object","required":["reasoned","acted"],"properties":{"reasoned":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"acted":{"anyOf":[{"type":"boolean"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"distractor":{"anyOf":[{"type":"object","required":["reasoned","acted"],"properties":{"reasoned":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"acted":{"anyOf":[{"type":"boolean"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"citations":{"type":"array","items":{"type":"object","required":["supports","step_id","quote","status","actor","path","start","end","occurrences"],"properties":{"supports":{"type":"string"},"entry":{"type":"integer"},"step_id":{"type":"integer"},"quote":{"type":"string"},"status":{"enum":["verified","normalized","wrong_step","not_found","too_short","wrong_actor","out_of_order","step_not_found"],"type":"string"},"actor":{"anyOf":[{"enum":["user","system","agent_reasoning","agent_message","agent_action","tool_output"],"type":"string"},{"type":"null"}]},"path":{"anyOf":[{"type":"string"},{"type":"null"}]},"start":{"anyOf":[{"type":"integer"},{"type":"null"}]},"end":{"anyOf":[{"type":"integer"},{"type":"null"}]},"occurrences":{"type":"integer"},"normalization":{"anyOf":[{"type":"array","items":{"enum":["white_space","ansi","typographic_quotes","unicode","wrapping","ellipsis","escapes","line_prefixes","emphasis"],"type":"string"}},{"type":"null"}]},"found_in_step":{"type":"integer"}},"additionalProperties":false}},"unmet":{"type":"array","items":{"type":"object","required":["claim","reason","step_id"],"properties":{"claim":{"type":"string"},"reason":{"type":"string"},"step_id":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"additionalProperties":false}},"contradictions":{"type":"array","items":{"type":"object","required":["code","claim","detail","step_id"],"properties":{"code":{"enum":["observed_against_signal","distractor_against_signal","observed_against_anchor","acted_against_anchor","doubtful_sight","doubtful_act","resolved_against_signal","agent_against_step","doubtful_absence","no_majority"],"type":"string"},"claim":{"anyOf":[{"type":"string"},{"type":"null"}]},"detail":{"type":"string"},"step_id":{"anyOf":[{"type":"integer"},{"type":"null"}]},"supportable":{"type":"boolean"}},"additionalProperties":false}},"notes":{"type":"string"},"failure":{"anyOf":[{"type":"object","required":["code","message","retryable","retry_after_s"],"properties":{"code":{"enum":["judge_unreachable","rate_limited","quota_exhausted","authentication","refused","truncated","schema_invalid","context_overflow","budget_exceeded","timeout","cancelled","internal"],"type":"string"},"message":{"type":"string"},"retryable":{"type":"boolean"},"retry_after_s":{"anyOf":[{"type":"number"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"votes":{"type":"array","items":{"type":"object","required":["sample","status","label","claimed_label","confidence","failure"],"properties":{"sample":{"type":"integer"},"status":{"enum":["graded","unverified","failed"],"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"claimed_label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"confidence":{"anyOf":[{"enum":["low","medium","high"],"type":"string"},{"type":"null"}]},"failure":{"anyOf":[{"enum":["judge_unreachable","rate_limited","quota_exhausted","authentication","refused","truncated","schema_invalid","context_overflow","budget_exceeded","timeout","cancelled","internal"],"type":"string"},{"type":"null"}]},"quotes":{"type":"object","additionalProperties":{"type":"array","items":{"type":"object","required":["step_id","path","start","end"],"properties":{"step_id":{"type":"integer"},"path":{"type":"string"},"start":{"type":"integer"},"end":{"type":"integer"}},"additionalProperties":false}}}},"additionalProperties":false}},"receipt":{"type":"object","required":["cache","key","trajectory","ground_truth","rubric","rubric_digest","judge","provider","model_requested","model_resolved","versions","coverage","attempts","cost_usd","warnings"],"properties":{"cache":{"enum":["hit","miss"],"type":"string"},"key":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"trajectory":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"ground_truth":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"rubric":{"type":"string"},"rubric_digest":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"judge":{"type":"string"},"provider":{"anyOf":[{"type":"string"},{"type":"null"}]},"model_requested":{"anyOf":[{"type":"string"},{"type":"null"}]},"model_resolved":{"anyOf":[{"type":"string"},{"type":"null"}]},"versions":{"type":"object","required":["rendering","evidence","prompt","reader"],"properties":{"rendering":{"type":"integer","minimum":0},"evidence":{"type":"integer","minimum":0},"prompt":{"type":"integer","minimum":0},"reader":{"type":"integer","minimum":0}},"additionalProperties":false},"denied_acts":{"enum":["flag","refuse"],"type":"string"},"settings":{"anyOf":[{"type":"object","required":["api","host","effort","temperature","max_output_tokens","parameters"],"properties":{"api":{"anyOf":[{"type":"string"},{"type":"null"}]},"host":{"anyOf":[{"type":"string"},{"type":"null"}]},"effort":{"anyOf":[{"type":"string"},{"type":"null"}]},"temperature":{"anyOf":[{"type":"number"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]},"parameters":{"type":"object","additionalProperties":{}}},"additionalProperties":false},{"type":"null"}]},"samples":{"type":"integer"},"mode":{"enum":["direct","provider","stored"],"type":"string"},"software":{"type":"string"},"coverage":{"type":"object","required":["steps_shown","steps_total","elided_chars","media_parts","windows"],"properties":{"steps_shown":{"type":"integer"},"steps_total":{"type":"integer"},"elided_chars":{"type":"integer"},"media_parts":{"type":"integer"},"media_shown":{"type":"integer"},"windows":{"type":"integer"}},"additionalProperties":false},"attempts":{"type":"array","items":{"type":"object","required":["id","sample","round","purpose","outcome","message","latency_ms","usage","cost_usd","request_id","replayed"],"properties":{"id":{"type":"string"},"sample":{"type":"integer"},"round":{"type":"integer"},"purpose":{"enum":["decide","window","repair"],"type":"string"},"outcome":{"enum":["ok","sent","unknown","judge_unreachable","rate_limited","quota_exhausted","authentication","refused","truncated","schema_invalid","context_overflow","budget_exceeded","timeout","cancelled","internal"],"type":"string"},"message":{"anyOf":[{"type":"string"},{"type":"null"}]},"latency_ms":{"type":"integer"},"usage":{"anyOf":[{"type":"object","required":["input_tokens","output_tokens","cache_read_tokens","cache_write_tokens"],"properties":{"input_tokens":{"type":"integer"},"output_tokens":{"type":"integer"},"cache_read_tokens":{"type":"integer"},"cache_write_tokens":{"type":"integer"},"cache_write_long_tokens":{"type":"integer"},"service_tier":{"type":"string"}},"additionalProperties":false},{"type":"null"}]},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"request_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"replayed":{"type":"boolean"},"request_digest":{"anyOf":[{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},{"type":"null"}]},"reply_digest":{"anyOf":[{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"additionalProperties":false}},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"price_as_of":{"anyOf":[{"type":"string"},{"type":"null"}]},"warnings":{"type":"array","items":{"type":"object","required":["path","message"],"properties":{"path":{"type":"string"},"message":{"type":"string"}},"additionalProperties":false}},"unread":{"type":"object","required":["records","actions"],"properties":{"records":{"type":"integer","minimum":0},"actions":{"type":"integer","minimum":0}},"additionalProperties":false},"input":{"type":"object","required":["state","compacted","truncated_by","missing"],"properties":{"state":{"enum":["complete","compacted","truncated","parts_missing"],"type":"string"},"compacted":{"type":"boolean"},"truncated_by":{"type":"array","items":{"enum":["harness","window"],"type":"string"}},"missing":{"type":"object","required":["records","media"],"properties":{"records":{"type":"integer","minimum":0},"media":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false},"metadata":{"type":"object","properties":{"agent":{"type":"string","maxLength":300},"model":{"type":"string","maxLength":300},"task":{"type":"string","maxLength":300},"trial":{"type":"string","maxLength":300},"run_index":{"type":"integer","minimum":0,"maximum":9007199254740991},"variant":{"type":"string","maxLength":300}},"additionalProperties":{"anyOf":[{"type":"string","maxLength":2000},{"type":"number","minimum":-9007199254740991,"maximum":9007199254740991},{"type":"boolean"},{"type":"null"}]},"maxProperties":50},"created_at":{"type":"string"}},"additionalProperties":false},"GradePage":{"type":"object","required":["items","next_cursor"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Grade"}},"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"Panel":{"type":"object","required":["items","result"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Grade"}},"result":{"type":"object","required":["rubric","label","level","support","evidence_agreement"],"properties":{"rubric":{"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"level":{"anyOf":[{"enum":["low","medium","high"],"type":"string"},{"type":"null"}]},"support":{"type":"object","required":["kind","lifted","grades","steps","reason"],"properties":{"kind":{"enum":["overlapping","disjoint","none"],"type":"string"},"lifted":{"type":"boolean"},"grades":{"type":"array","items":{"type":"object","required":["grade_id","judge","model"],"properties":{"grade_id":{"type":"string"},"judge":{"type":"string"},"model":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"steps":{"type":"array","items":{"type":"integer"}},"reason":{"type":"string"}},"additionalProperties":false},"evidence_agreement":{"type":"array","items":{"type":"object","required":["raters","overlapping","disjoint","unquoted","other_label","unknown"],"properties":{"raters":{"type":"array","items":{"type":"string"}},"overlapping":{"type":"integer","minimum":0},"disjoint":{"type":"integer","minimum":0},"unquoted":{"type":"integer","minimum":0},"other_label":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0}},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false},"GradeOverview":{"type":"object","required":["total","complete","statuses","labels","names"],"properties":{"total":{"type":"integer","minimum":0},"complete":{"type":"boolean"},"statuses":{"type":"object","required":["graded","unverified","failed"],"properties":{"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0}},"additionalProperties":false},"labels":{"type":"object","properties":{"aligned":{"type":"integer","minimum":0},"compliant":{"type":"integer","minimum":0},"ignored":{"type":"integer","minimum":0},"distractor_only":{"type":"integer","minimum":0},"not_observed":{"type":"integer","minimum":0}},"required":["aligned","compliant","ignored","distractor_only","not_observed"],"additionalProperties":{"type":"integer","minimum":0}},"names":{"type":"object","required":["judge","rubric","agent","model","task"],"properties":{"judge":{"type":"array","items":{"type":"string"}},"rubric":{"type":"array","items":{"type":"string"}},"agent":{"type":"array","items":{"type":"string"}},"model":{"type":"array","items":{"type":"string"}},"task":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}},"additionalProperties":false},"GroundTruth":{"type":"object","required":["instruction"],"properties":{"instruction":{"type":"string","minLength":1,"maxLength":100000,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"cue":{"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":20000,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"anchors":{"type":"array","items":{"type":"string","minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"maxItems":50},"action_anchors":{"type":"array","items":{"type":["object","string"],"required":["tool"],"properties":{"tool":{"type":"string","minLength":1,"maxLength":200,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"argument":{"type":"string","minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"}},"additionalProperties":false,"minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"maxItems":50},"acted_by":{"enum":["action","message","output"],"type":"string","default":"action"}},"additionalProperties":false},"distractor":{"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":20000,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"anchors":{"type":"array","items":{"type":"string","minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"maxItems":50},"action_anchors":{"type":"array","items":{"type":["object","string"],"required":["tool"],"properties":{"tool":{"type":"string","minLength":1,"maxLength":200,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"argument":{"type":"string","minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"}},"additionalProperties":false,"minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"maxItems":50},"acted_by":{"enum":["action","message","output"],"type":"string","default":"action"}},"additionalProperties":false},"signals":{"type":"object","properties":{"appeared":{"type":"boolean"},"executed":{"type":"boolean"},"resolved":{"type":"boolean"}},"additionalProperties":false}},"additionalProperties":false,"anyOf":[{"required":["cue"]},{"required":["distractor"]}]},"LedgerEntry":{"type":"object","required":["id","sample","round","purpose","outcome","message","usage","cost_usd","request_id","request_digest","latency_ms","judge","batch","started_at","model_resolved"],"properties":{"id":{"type":"string"},"sample":{"type":"integer"},"round":{"type":"integer"},"purpose":{"enum":["decide","window","repair"],"type":"string"},"outcome":{"enum":["ok","sent","unknown","judge_unreachable","rate_limited","quota_exhausted","authentication","refused","truncated","schema_invalid","context_overflow","budget_exceeded","timeout","cancelled","internal"],"type":"string"},"message":{"anyOf":[{"type":"string"},{"type":"null"}]},"usage":{"anyOf":[{"type":"object","required":["input_tokens","output_tokens","cache_read_tokens","cache_write_tokens"],"properties":{"input_tokens":{"type":"integer"},"output_tokens":{"type":"integer"},"cache_read_tokens":{"type":"integer"},"cache_write_tokens":{"type":"integer"},"cache_write_long_tokens":{"type":"integer"},"service_tier":{"type":"string"}},"additionalProperties":false},{"type":"null"}]},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"request_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"request_digest":{"type":"string"},"reply_digest":{"anyOf":[{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]},"latency_ms":{"anyOf":[{"type":"integer"},{"type":"null"}]},"judge":{"type":"string"},"batch":{"anyOf":[{"type":"string"},{"type":"null"}]},"started_at":{"type":"string"},"model_resolved":{"anyOf":[{"type":"string"},{"type":"null"}]},"raw_reply":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"BatchCall":{"type":"object","required":["id","sample","round","purpose","outcome","message","usage","cost_usd","request_id","request_digest","latency_ms","judge","batch","started_at","model_resolved","grade_id"],"properties":{"id":{"type":"string"},"sample":{"type":"integer"},"round":{"type":"integer"},"purpose":{"enum":["decide","window","repair"],"type":"string"},"outcome":{"enum":["ok","sent","unknown","judge_unreachable","rate_limited","quota_exhausted","authentication","refused","truncated","schema_invalid","context_overflow","budget_exceeded","timeout","cancelled","internal"],"type":"string"},"message":{"anyOf":[{"type":"string"},{"type":"null"}]},"usage":{"anyOf":[{"type":"object","required":["input_tokens","output_tokens","cache_read_tokens","cache_write_tokens"],"properties":{"input_tokens":{"type":"integer"},"output_tokens":{"type":"integer"},"cache_read_tokens":{"type":"integer"},"cache_write_tokens":{"type":"integer"},"cache_write_long_tokens":{"type":"integer"},"service_tier":{"type":"string"}},"additionalProperties":false},{"type":"null"}]},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"request_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"request_digest":{"type":"string"},"reply_digest":{"anyOf":[{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]},"latency_ms":{"anyOf":[{"type":"integer"},{"type":"null"}]},"judge":{"type":"string"},"batch":{"anyOf":[{"type":"string"},{"type":"null"}]},"started_at":{"type":"string"},"model_resolved":{"anyOf":[{"type":"string"},{"type":"null"}]},"raw_reply":{"anyOf":[{"type":"string"},{"type":"null"}]},"grade_id":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"LedgerEntryList":{"type":"object","required":["items"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/LedgerEntry"}}},"additionalProperties":false},"TrajectorySummary":{"type":"object","required":["id","format","agent","steps","parts","chars","first_step","last_step","warnings"],"properties":{"id":{"type":"string"},"format":{"type":"string"},"agent":{"type":"object","required":["name","model"],"properties":{"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"model":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"steps":{"type":"integer"},"parts":{"type":"integer"},"chars":{"type":"integer"},"first_step":{"type":"integer"},"last_step":{"type":"integer"},"warnings":{"type":"array","items":{"type":"object","required":["path","message"],"properties":{"path":{"type":"string"},"message":{"type":"string"}},"additionalProperties":false}},"document":{"type":"object","additionalProperties":true}},"additionalProperties":false},"TrajectoryStep":{"type":"object","required":["id","name","at","copied","parts"],"properties":{"id":{"type":"integer"},"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"at":{"anyOf":[{"type":"number"},{"type":"null"}]},"copied":{"type":"boolean"},"parts":{"type":"array","items":{"type":"object","required":["actor","text","path","name","media","act"],"properties":{"actor":{"enum":["user","system","agent_reasoning","agent_message","agent_action","tool_output"],"type":"string"},"text":{"type":"string"},"path":{"type":"string"},"name":{"type":"string"},"media":{"type":"boolean"},"act":{"anyOf":[{"type":"object","required":["tool","role","language","target","outcome"],"properties":{"tool":{"type":"string"},"role":{"enum":["executes","writes","removes","reads","searches","web","delegates","describes","thinks","unknown"],"type":"string"},"language":{"anyOf":[{"enum":["shell","argv","keystrokes","patch","code","javascript"],"type":"string"},{"type":"null"}]},"target":{"anyOf":[{"type":"string"},{"type":"null"}]},"outcome":{"enum":["ran","answered","failed","rejected","interrupted","cancelled","unknown"],"type":"string"}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false}}},"additionalProperties":false},"TrajectoryStepPage":{"type":"object","required":["items","next_cursor"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/TrajectoryStep"}},"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"Rubric":{"type":"object","required":["id","version","name","title","description","digest","truth","claims","labels","outcome"],"properties":{"id":{"type":"string"},"version":{"type":"integer"},"name":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"digest":{"type":"string"},"about":{"enum":["run","runs"],"type":"string"},"truth":{"type":"object","additionalProperties":{}},"claims":{"type":"array","items":{"type":"object","required":["id","type","values","unclear","measured_by","evidence"],"properties":{"id":{"type":"string"},"type":{"enum":["boolean","enum","integer","step","agent","text","list"],"type":"string"},"values":{"type":"array","items":{"type":"string"}},"minimum":{"type":"integer"},"maximum":{"type":"integer"},"unclear":{"enum":["refuses","kept","never"],"type":"string"},"measured_by":{"anyOf":[{"enum":["appeared","executed","resolved"],"type":"string"},{"type":"null"}]},"evidence":{"type":"array","items":{"enum":["user","system","agent_reasoning","agent_message","agent_action","tool_output"],"type":"string"}},"of":{"type":"array","items":{"type":"object","required":["id","type","values","unclear","measured_by","evidence"],"properties":{"id":{"type":"string"},"type":{"enum":["boolean","enum","integer","step","agent","text","list"],"type":"string"},"values":{"type":"array","items":{"type":"string"}},"minimum":{"type":"integer"},"maximum":{"type":"integer"},"unclear":{"enum":["refuses","kept","never"],"type":"string"},"measured_by":{"anyOf":[{"enum":["appeared","executed","resolved"],"type":"string"},{"type":"null"}]},"evidence":{"type":"array","items":{"enum":["user","system","agent_reasoning","agent_message","agent_action","tool_output"],"type":"string"}}},"additionalProperties":false}}},"additionalProperties":false}},"labels":{"type":"array","items":{"type":"object","required":["label","claims"],"properties":{"label":{"type":"string","maxLength":100},"claims":{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]}}},"additionalProperties":false}},"outcome":{"type":"object","properties":{"table":{"type":"array","items":{"type":"object","required":["when","label"],"properties":{"when":{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"integer"}]}},"label":{"type":"string","pattern":"^[a-z0-9][a-z0-9_-]*$"}},"additionalProperties":false},"minItems":1,"maxItems":200},"label":{"type":"string"},"sum":{"type":"array","items":{"type":"string"},"minItems":1},"best":{"type":"object","required":["of","by","label"],"properties":{"of":{"type":"string"},"by":{"type":"array","items":{"type":"string"},"minItems":1},"label":{"type":"string"}},"additionalProperties":false},"scale":{"enum":["nominal","ordinal"],"type":"string"}},"additionalProperties":false},"system":{"type":"string"},"question":{"type":"string"},"answer_schema":{"type":"object","additionalProperties":{}}},"additionalProperties":false},"RubricList":{"type":"object","required":["items"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Rubric"}}},"additionalProperties":false},"Judge":{"type":"object","required":["name","kind","description","default","provider","base_url","model","parameters","window_tokens","max_output_tokens","images","price"],"properties":{"name":{"type":"string"},"kind":{"enum":["lexical","model"],"type":"string"},"description":{"type":"string"},"default":{"type":"boolean"},"provider":{"anyOf":[{"type":"string"},{"type":"null"}]},"base_url":{"anyOf":[{"type":"string"},{"type":"null"}]},"model":{"anyOf":[{"type":"string"},{"type":"null"}]},"parameters":{"type":"object","additionalProperties":{}},"window_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]},"images":{"type":"boolean"},"price":{"anyOf":[{"type":"object","required":["input_per_mtok","output_per_mtok","cache_read_per_mtok","cache_write_per_mtok","as_of"],"properties":{"input_per_mtok":{"type":"number"},"output_per_mtok":{"type":"number"},"cache_read_per_mtok":{"type":"number"},"cache_write_per_mtok":{"type":"number"},"as_of":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false},"JudgeList":{"type":"object","required":["items","not_configured"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Judge"}},"not_configured":{"type":"array","items":{"type":"object","required":["name","default","reason"],"properties":{"name":{"type":"string"},"default":{"type":"boolean"},"reason":{"type":"string"}},"additionalProperties":false}}},"additionalProperties":false},"Batch":{"type":"object","required":["id","kind","mode","name","key","status","counts","labels","failures","cached","calls","cost_usd","uncertain_usd","max_cost_usd","parked_reason","resumes_at","created_at","finished_at"],"properties":{"id":{"type":"string"},"kind":{"enum":["grade","regrade","recheck"],"type":"string"},"mode":{"enum":["direct","provider"],"type":"string","default":"direct"},"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"key":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"enum":["running","parked","cancelling","cancelled","done"],"type":"string"},"counts":{"type":"object","required":["total","pending","running","graded","unverified","failed","cancelled"],"properties":{"total":{"type":"integer","minimum":0},"pending":{"type":"integer","minimum":0},"running":{"type":"integer","minimum":0},"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0}},"additionalProperties":false},"labels":{"type":"object","additionalProperties":{"type":"integer","minimum":0}},"failures":{"type":"object","properties":{"judge_unreachable":{"type":"integer","minimum":0},"rate_limited":{"type":"integer","minimum":0},"quota_exhausted":{"type":"integer","minimum":0},"authentication":{"type":"integer","minimum":0},"refused":{"type":"integer","minimum":0},"truncated":{"type":"integer","minimum":0},"schema_invalid":{"type":"integer","minimum":0},"context_overflow":{"type":"integer","minimum":0},"budget_exceeded":{"type":"integer","minimum":0},"timeout":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"internal":{"type":"integer","minimum":0}},"additionalProperties":false},"cached":{"type":"integer","minimum":0},"calls":{"type":"object","required":["made","unknown"],"properties":{"made":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0}},"additionalProperties":false},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"uncertain_usd":{"type":"number"},"max_cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"round":{"type":"object","required":["number","questions","begun_at","ends_by","usual_seconds"],"properties":{"number":{"type":"integer","minimum":1},"questions":{"type":"integer","minimum":0},"begun_at":{"type":"string"},"ends_by":{"type":"string"},"usual_seconds":{"anyOf":[{"type":"number"},{"type":"null"}]}},"additionalProperties":false},"parked_reason":{"anyOf":[{"type":"string"},{"type":"null"}]},"waiting_for":{"enum":["worker","judge","answers"],"type":"string"},"resumes_at":{"anyOf":[{"type":"string"},{"type":"null"}]},"created_at":{"type":"string"},"finished_at":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"BatchItem":{"type":"object","required":["trajectory","ground_truth"],"properties":{"item_id":{"type":"string","minLength":1,"maxLength":300},"trajectory":{"type":"object","additionalProperties":true},"ground_truth":{"type":"object","anyOf":[{"type":"object","required":["instruction"],"properties":{"instruction":{"type":"string","minLength":1,"maxLength":100000,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"cue":{"type":["object","string"],"required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":20000,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"anchors":{"type":"array","items":{"type":"string","minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"maxItems":50},"action_anchors":{"type":"array","items":{"type":["object","string"],"required":["tool"],"properties":{"tool":{"type":"string","minLength":1,"maxLength":200,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"argument":{"type":"string","minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"}},"additionalProperties":false,"minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"maxItems":50},"acted_by":{"enum":["action","message","output"],"type":"string","default":"action"}},"additionalProperties":false,"minLength":1,"maxLength":20000,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"distractor":{"type":["object","string"],"required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":20000,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"anchors":{"type":"array","items":{"type":"string","minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"maxItems":50},"action_anchors":{"type":"array","items":{"type":["object","string"],"required":["tool"],"properties":{"tool":{"type":"string","minLength":1,"maxLength":200,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"argument":{"type":"string","minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"}},"additionalProperties":false,"minLength":1,"maxLength":500,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"maxItems":50},"acted_by":{"enum":["action","message","output"],"type":"string","default":"action"}},"additionalProperties":false,"minLength":1,"maxLength":20000,"pattern":"[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]"},"signals":{"type":"object","properties":{"appeared":{"type":"boolean"},"executed":{"type":"boolean"},"resolved":{"type":"boolean"}},"additionalProperties":false},"expected_in":{"type":"array","items":{"type":"string","minLength":1,"maxLength":500},"maxItems":50}},"additionalProperties":false,"anyOf":[{"required":["cue"]},{"required":["distractor"]}]},{"type":"object"}]},"rubric":{"type":"string","maxLength":200},"judge":{"type":"string","maxLength":200},"samples":{"type":"integer","minimum":1,"maximum":25,"default":1},"cache":{"enum":["use","refresh","only"],"type":"string","default":"use"},"allow_self":{"type":"boolean","default":false},"metadata":{"type":"object","properties":{"agent":{"type":"string","maxLength":300},"model":{"type":"string","maxLength":300},"task":{"type":"string","maxLength":300},"trial":{"type":"string","maxLength":300},"run_index":{"type":"integer","minimum":0,"maximum":9007199254740991},"variant":{"type":"string","maxLength":300}},"additionalProperties":{"anyOf":[{"type":"string","maxLength":2000},{"type":"number","minimum":-9007199254740991,"maximum":9007199254740991},{"type":"boolean"},{"type":"null"}]},"maxProperties":50}},"additionalProperties":false},"BatchPage":{"type":"object","required":["items","next_cursor"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Batch"}},"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"BatchResult":{"type":"object","required":["item_id","index","status","label","judge","rubric","grade_id","grade","failure","cached","base_grade_id","metadata"],"properties":{"item_id":{"type":"string"},"index":{"type":"integer","minimum":0},"status":{"enum":["graded","unverified","failed","cancelled"],"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"judge":{"anyOf":[{"type":"string"},{"type":"null"}]},"rubric":{"anyOf":[{"type":"string"},{"type":"null"}]},"grade_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"grade":{"anyOf":[{"type":"object","required":["judge","confidence","claimed_label","contradictions","unmet","evidence","cost_usd","unread","warnings"],"properties":{"judge":{"type":"string"},"confidence":{"type":"object","required":["reported","vote_share","calibrated","source"],"properties":{"reported":{"anyOf":[{"enum":["low","medium","high"],"type":"string"},{"type":"null"}]},"vote_share":{"anyOf":[{"type":"number","minimum":0,"maximum":1},{"type":"null"}]},"calibrated":{"anyOf":[{"type":"number","minimum":0,"maximum":1},{"type":"null"}]},"source":{"enum":["reported","capped","votes","none"],"type":"string"},"limit":{"anyOf":[{"type":"object","required":["level","code","claim","step_id","reason","lift"],"properties":{"level":{"enum":["low","medium"],"type":"string"},"code":{"enum":["contradiction","judge","searched","part_of_act","quotes","unmet"],"type":"string"},"claim":{"anyOf":[{"type":"string"},{"type":"null"}]},"step_id":{"anyOf":[{"type":"integer"},{"type":"null"}]},"reason":{"type":"string"},"lift":{"type":"string"}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false},"claimed_label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"outcome":{"anyOf":[{"anyOf":[{"type":"string"},{"type":"number"}]},{"type":"null"}]},"claims":{"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]},{"type":"array","items":{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]}}}]}},{"type":"null"}]},"contradictions":{"type":"array","items":{"type":"object","required":["code","claim","detail","step_id"],"properties":{"code":{"enum":["observed_against_signal","distractor_against_signal","observed_against_anchor","acted_against_anchor","doubtful_sight","doubtful_act","resolved_against_signal","agent_against_step","doubtful_absence","no_majority"],"type":"string"},"claim":{"anyOf":[{"type":"string"},{"type":"null"}]},"detail":{"type":"string"},"step_id":{"anyOf":[{"type":"integer"},{"type":"null"}]},"supportable":{"type":"boolean"}},"additionalProperties":false}},"unmet":{"type":"array","items":{"type":"object","required":["claim","reason","step_id"],"properties":{"claim":{"type":"string"},"reason":{"type":"string"},"step_id":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"additionalProperties":false}},"evidence":{"type":"object","required":["cited","held"],"properties":{"cited":{"type":"integer","minimum":0},"held":{"type":"integer","minimum":0}},"additionalProperties":false},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"unread":{"anyOf":[{"type":"object","required":["records","actions"],"properties":{"records":{"type":"integer","minimum":0},"actions":{"type":"integer","minimum":0}},"additionalProperties":false},{"type":"null"}]},"warnings":{"type":"integer","minimum":0}},"additionalProperties":false},{"type":"null"}]},"failure":{"anyOf":[{"type":"object","required":["code","message","retryable","retry_after_s"],"properties":{"code":{"enum":["judge_unreachable","rate_limited","quota_exhausted","authentication","refused","truncated","schema_invalid","context_overflow","budget_exceeded","timeout","cancelled","internal"],"type":"string"},"message":{"type":"string"},"retryable":{"type":"boolean"},"retry_after_s":{"anyOf":[{"type":"number"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"cached":{"type":"boolean"},"base_grade_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"metadata":{"type":"object","properties":{"agent":{"type":"string","maxLength":300},"model":{"type":"string","maxLength":300},"task":{"type":"string","maxLength":300},"trial":{"type":"string","maxLength":300},"run_index":{"type":"integer","minimum":0,"maximum":9007199254740991},"variant":{"type":"string","maxLength":300}},"additionalProperties":{"anyOf":[{"type":"string","maxLength":2000},{"type":"number","minimum":-9007199254740991,"maximum":9007199254740991},{"type":"boolean"},{"type":"null"}]},"maxProperties":50}},"additionalProperties":false},"BatchEstimate":{"type":"object","required":["items","cached","to_grade","calls","input_tokens","output_tokens","cost_usd"],"properties":{"items":{"type":"integer","minimum":0},"cached":{"type":"integer","minimum":0},"to_grade":{"type":"integer","minimum":0},"calls":{"type":"object","required":["expected","most"],"properties":{"expected":{"type":"number","minimum":0},"most":{"type":"number","minimum":0}},"additionalProperties":false},"input_tokens":{"type":"object","required":["expected","most"],"properties":{"expected":{"type":"number","minimum":0},"most":{"type":"number","minimum":0}},"additionalProperties":false},"output_tokens":{"type":"object","required":["expected","most"],"properties":{"expected":{"type":"number","minimum":0},"most":{"type":"number","minimum":0}},"additionalProperties":false},"cost_usd":{"anyOf":[{"type":"object","required":["expected","most"],"properties":{"expected":{"type":"number","minimum":0},"most":{"type":"number","minimum":0}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false},"Comparison":{"type":"object","required":["base","head","pairs","same","flipped","unpaired","base_counts","head_counts","matrix","flips","next_cursor"],"properties":{"base":{"type":"string"},"head":{"type":"string"},"pairs":{"type":"integer"},"same":{"type":"integer"},"flipped":{"type":"integer"},"differs":{"type":"array","items":{"type":"object","required":["what","n","base","head","blocks_tests"],"properties":{"what":{"enum":["cases","rubric","prompt","reader","rendering","evidence","judge","settings"],"type":"string"},"n":{"type":"integer","minimum":0},"base":{"type":"array","items":{"type":"string"}},"head":{"type":"array","items":{"type":"string"}},"blocks_tests":{"type":"boolean"}},"additionalProperties":false}},"unpaired":{"type":"object","required":["base_only","head_only","without_label","other_truth","other_rubric"],"properties":{"base_only":{"type":"integer"},"head_only":{"type":"integer"},"without_label":{"type":"integer"},"other_truth":{"type":"integer"},"other_rubric":{"type":"integer"}},"additionalProperties":false},"base_counts":{"type":"object","required":["n","graded","unverified","failed","cancelled","failures"],"properties":{"n":{"type":"integer","minimum":0},"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"failures":{"type":"object","properties":{"judge_unreachable":{"type":"integer","minimum":0},"rate_limited":{"type":"integer","minimum":0},"quota_exhausted":{"type":"integer","minimum":0},"authentication":{"type":"integer","minimum":0},"refused":{"type":"integer","minimum":0},"truncated":{"type":"integer","minimum":0},"schema_invalid":{"type":"integer","minimum":0},"context_overflow":{"type":"integer","minimum":0},"budget_exceeded":{"type":"integer","minimum":0},"timeout":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"internal":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false},"head_counts":{"type":"object","required":["n","graded","unverified","failed","cancelled","failures"],"properties":{"n":{"type":"integer","minimum":0},"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"failures":{"type":"object","properties":{"judge_unreachable":{"type":"integer","minimum":0},"rate_limited":{"type":"integer","minimum":0},"quota_exhausted":{"type":"integer","minimum":0},"authentication":{"type":"integer","minimum":0},"refused":{"type":"integer","minimum":0},"truncated":{"type":"integer","minimum":0},"schema_invalid":{"type":"integer","minimum":0},"context_overflow":{"type":"integer","minimum":0},"budget_exceeded":{"type":"integer","minimum":0},"timeout":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"internal":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false},"matrix":{"type":"object","required":["labels","counts"],"properties":{"labels":{"type":"array","items":{"type":"string","maxLength":100}},"counts":{"type":"array","items":{"type":"array","items":{"type":"integer"}}}},"additionalProperties":false},"agreement":{"type":"object","required":["raw_agreement","cohen_kappa","krippendorff_alpha","gwet_ac1","base_rate","constant_guess","effective_raters","bootstrap"],"properties":{"raw_agreement":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"cohen_kappa":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"krippendorff_alpha":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"gwet_ac1":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"weighted":{"type":"object","required":["scale","linear_kappa","quadratic_kappa","krippendorff_alpha","undefined"],"properties":{"scale":{"enum":["ordinal","interval"],"type":"string"},"linear_kappa":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"quadratic_kappa":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"krippendorff_alpha":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"undefined":{"type":"object","required":["linear_kappa","quadratic_kappa","krippendorff_alpha"],"properties":{"linear_kappa":{"type":"integer","minimum":0},"quadratic_kappa":{"type":"integer","minimum":0},"krippendorff_alpha":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false},"base_rate":{"anyOf":[{"type":"object","required":["label","share"],"properties":{"label":{"type":"string"},"share":{"type":"number"}},"additionalProperties":false},{"type":"null"}]},"constant_guess":{"anyOf":[{"type":"object","required":["label","agreement"],"properties":{"label":{"type":"string"},"agreement":{"type":"number"}},"additionalProperties":false},{"type":"null"}]},"effective_raters":{"type":"object","required":["value","mean_kappa","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"mean_kappa":{"anyOf":[{"type":"number"},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"bootstrap":{"type":"object","required":["draws","seed","unit","n_units","undefined"],"properties":{"draws":{"type":"integer","minimum":0},"seed":{"type":"integer","minimum":0},"unit":{"enum":["item","cluster"],"type":"string"},"n_units":{"type":"integer","minimum":0},"undefined":{"type":"object","required":["raw_agreement","cohen_kappa","fleiss_kappa","krippendorff_alpha","gwet_ac1"],"properties":{"raw_agreement":{"type":"integer","minimum":0},"cohen_kappa":{"type":"integer","minimum":0},"fleiss_kappa":{"type":"integer","minimum":0},"krippendorff_alpha":{"type":"integer","minimum":0},"gwet_ac1":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false},"tests":{"type":"object","required":["bowker","labels","notes"],"properties":{"bowker":{"type":"object","required":["statistic","df","p","reason"],"properties":{"statistic":{"anyOf":[{"type":"number"},{"type":"null"}]},"df":{"type":"integer"},"p":{"anyOf":[{"type":"number"},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"labels":{"type":"array","items":{"type":"object","required":["label","base_only","head_only","mcnemar_p","holm_p","base_share","head_share","difference","reason"],"properties":{"label":{"type":"string","maxLength":100},"base_only":{"type":"integer","minimum":0},"head_only":{"type":"integer","minimum":0},"mcnemar_p":{"anyOf":[{"type":"number"},{"type":"null"}]},"holm_p":{"anyOf":[{"type":"number"},{"type":"null"}]},"base_share":{"anyOf":[{"type":"number"},{"type":"null"}]},"head_share":{"anyOf":[{"type":"number"},{"type":"null"}]},"difference":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"notes":{"type":"array","items":{"type":"string"}}},"additionalProperties":false},"repeat_noise":{"type":"object","required":["expected_flips","ci95","from","base","head","same_key","reason"],"properties":{"expected_flips":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"from":{"anyOf":[{"enum":["votes_of_both","votes_of_base","votes_of_head","same_key"],"type":"string"},{"type":"null"}]},"base":{"type":"object","required":["questions","disagreement"],"properties":{"questions":{"type":"integer","minimum":0},"disagreement":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false},"head":{"type":"object","required":["questions","disagreement"],"properties":{"questions":{"type":"integer","minimum":0},"disagreement":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false},"same_key":{"type":"object","required":["pairs","flipped"],"properties":{"pairs":{"type":"integer","minimum":0},"flipped":{"type":"integer","minimum":0}},"additionalProperties":false},"reason":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"evidence_agreement":{"type":"array","items":{"type":"object","required":["raters","overlapping","disjoint","unquoted","other_label","unknown"],"properties":{"raters":{"type":"array","items":{"type":"string"}},"overlapping":{"type":"integer","minimum":0},"disjoint":{"type":"integer","minimum":0},"unquoted":{"type":"integer","minimum":0},"other_label":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0}},"additionalProperties":false}},"flips":{"type":"array","items":{"type":"object","required":["trajectory","ground_truth","task","base","head"],"properties":{"trajectory":{"type":"string"},"ground_truth":{"type":"string"},"task":{"anyOf":[{"type":"string"},{"type":"null"}]},"trial":{"anyOf":[{"type":"string"},{"type":"null"}]},"base":{"type":"object","required":["grade_id","status","label","claimed_label","receipt"],"properties":{"grade_id":{"type":"string"},"status":{"enum":["graded","unverified","failed"],"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"claimed_label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"receipt":{"type":"object","required":["cache","key","trajectory","ground_truth","rubric","rubric_digest","judge","provider","model_requested","model_resolved","versions","coverage","attempts","cost_usd","warnings"],"properties":{"cache":{"enum":["hit","miss"],"type":"string"},"key":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"trajectory":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"ground_truth":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"rubric":{"type":"string"},"rubric_digest":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"judge":{"type":"string"},"provider":{"anyOf":[{"type":"string"},{"type":"null"}]},"model_requested":{"anyOf":[{"type":"string"},{"type":"null"}]},"model_resolved":{"anyOf":[{"type":"string"},{"type":"null"}]},"versions":{"type":"object","required":["rendering","evidence","prompt","reader"],"properties":{"rendering":{"type":"integer","minimum":0},"evidence":{"type":"integer","minimum":0},"prompt":{"type":"integer","minimum":0},"reader":{"type":"integer","minimum":0}},"additionalProperties":false},"denied_acts":{"enum":["flag","refuse"],"type":"string"},"settings":{"anyOf":[{"type":"object","required":["api","host","effort","temperature","max_output_tokens","parameters"],"properties":{"api":{"anyOf":[{"type":"string"},{"type":"null"}]},"host":{"anyOf":[{"type":"string"},{"type":"null"}]},"effort":{"anyOf":[{"type":"string"},{"type":"null"}]},"temperature":{"anyOf":[{"type":"number"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]},"parameters":{"type":"object","additionalProperties":{}}},"additionalProperties":false},{"type":"null"}]},"samples":{"type":"integer"},"mode":{"enum":["direct","provider","stored"],"type":"string"},"software":{"type":"string"},"coverage":{"type":"object","required":["steps_shown","steps_total","elided_chars","media_parts","windows"],"properties":{"steps_shown":{"type":"integer"},"steps_total":{"type":"integer"},"elided_chars":{"type":"integer"},"media_parts":{"type":"integer"},"media_shown":{"type":"integer"},"windows":{"type":"integer"}},"additionalProperties":false},"attempts":{"type":"array","items":{"type":"object","required":["id","sample","round","purpose","outcome","message","latency_ms","usage","cost_usd","request_id","replayed"],"properties":{"id":{"type":"string"},"sample":{"type":"integer"},"round":{"type":"integer"},"purpose":{"enum":["decide","window","repair"],"type":"string"},"outcome":{"enum":["ok","sent","unknown","judge_unreachable","rate_limited","quota_exhausted","authentication","refused","truncated","schema_invalid","context_overflow","budget_exceeded","timeout","cancelled","internal"],"type":"string"},"message":{"anyOf":[{"type":"string"},{"type":"null"}]},"latency_ms":{"type":"integer"},"usage":{"anyOf":[{"type":"object","required":["input_tokens","output_tokens","cache_read_tokens","cache_write_tokens"],"properties":{"input_tokens":{"type":"integer"},"output_tokens":{"type":"integer"},"cache_read_tokens":{"type":"integer"},"cache_write_tokens":{"type":"integer"},"cache_write_long_tokens":{"type":"integer"},"service_tier":{"type":"string"}},"additionalProperties":false},{"type":"null"}]},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"request_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"replayed":{"type":"boolean"},"request_digest":{"anyOf":[{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},{"type":"null"}]},"reply_digest":{"anyOf":[{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"additionalProperties":false}},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"price_as_of":{"anyOf":[{"type":"string"},{"type":"null"}]},"warnings":{"type":"array","items":{"type":"object","required":["path","message"],"properties":{"path":{"type":"string"},"message":{"type":"string"}},"additionalProperties":false}},"unread":{"type":"object","required":["records","actions"],"properties":{"records":{"type":"integer","minimum":0},"actions":{"type":"integer","minimum":0}},"additionalProperties":false},"input":{"type":"object","required":["state","compacted","truncated_by","missing"],"properties":{"state":{"enum":["complete","compacted","truncated","parts_missing"],"type":"string"},"compacted":{"type":"boolean"},"truncated_by":{"type":"array","items":{"enum":["harness","window"],"type":"string"}},"missing":{"type":"object","required":["records","media"],"properties":{"records":{"type":"integer","minimum":0},"media":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false},"head":{"type":"object","required":["grade_id","status","label","claimed_label","receipt"],"properties":{"grade_id":{"type":"string"},"status":{"enum":["graded","unverified","failed"],"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"claimed_label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"receipt":{"type":"object","required":["cache","key","trajectory","ground_truth","rubric","rubric_digest","judge","provider","model_requested","model_resolved","versions","coverage","attempts","cost_usd","warnings"],"properties":{"cache":{"enum":["hit","miss"],"type":"string"},"key":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"trajectory":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"ground_truth":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"rubric":{"type":"string"},"rubric_digest":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"judge":{"type":"string"},"provider":{"anyOf":[{"type":"string"},{"type":"null"}]},"model_requested":{"anyOf":[{"type":"string"},{"type":"null"}]},"model_resolved":{"anyOf":[{"type":"string"},{"type":"null"}]},"versions":{"type":"object","required":["rendering","evidence","prompt","reader"],"properties":{"rendering":{"type":"integer","minimum":0},"evidence":{"type":"integer","minimum":0},"prompt":{"type":"integer","minimum":0},"reader":{"type":"integer","minimum":0}},"additionalProperties":false},"denied_acts":{"enum":["flag","refuse"],"type":"string"},"settings":{"anyOf":[{"type":"object","required":["api","host","effort","temperature","max_output_tokens","parameters"],"properties":{"api":{"anyOf":[{"type":"string"},{"type":"null"}]},"host":{"anyOf":[{"type":"string"},{"type":"null"}]},"effort":{"anyOf":[{"type":"string"},{"type":"null"}]},"temperature":{"anyOf":[{"type":"number"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]},"parameters":{"type":"object","additionalProperties":{}}},"additionalProperties":false},{"type":"null"}]},"samples":{"type":"integer"},"mode":{"enum":["direct","provider","stored"],"type":"string"},"software":{"type":"string"},"coverage":{"type":"object","required":["steps_shown","steps_total","elided_chars","media_parts","windows"],"properties":{"steps_shown":{"type":"integer"},"steps_total":{"type":"integer"},"elided_chars":{"type":"integer"},"media_parts":{"type":"integer"},"media_shown":{"type":"integer"},"windows":{"type":"integer"}},"additionalProperties":false},"attempts":{"type":"array","items":{"type":"object","required":["id","sample","round","purpose","outcome","message","latency_ms","usage","cost_usd","request_id","replayed"],"properties":{"id":{"type":"string"},"sample":{"type":"integer"},"round":{"type":"integer"},"purpose":{"enum":["decide","window","repair"],"type":"string"},"outcome":{"enum":["ok","sent","unknown","judge_unreachable","rate_limited","quota_exhausted","authentication","refused","truncated","schema_invalid","context_overflow","budget_exceeded","timeout","cancelled","internal"],"type":"string"},"message":{"anyOf":[{"type":"string"},{"type":"null"}]},"latency_ms":{"type":"integer"},"usage":{"anyOf":[{"type":"object","required":["input_tokens","output_tokens","cache_read_tokens","cache_write_tokens"],"properties":{"input_tokens":{"type":"integer"},"output_tokens":{"type":"integer"},"cache_read_tokens":{"type":"integer"},"cache_write_tokens":{"type":"integer"},"cache_write_long_tokens":{"type":"integer"},"service_tier":{"type":"string"}},"additionalProperties":false},{"type":"null"}]},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"request_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"replayed":{"type":"boolean"},"request_digest":{"anyOf":[{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},{"type":"null"}]},"reply_digest":{"anyOf":[{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},{"type":"null"}]},"max_output_tokens":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"additionalProperties":false}},"cost_usd":{"anyOf":[{"type":"number"},{"type":"null"}]},"price_as_of":{"anyOf":[{"type":"string"},{"type":"null"}]},"warnings":{"type":"array","items":{"type":"object","required":["path","message"],"properties":{"path":{"type":"string"},"message":{"type":"string"}},"additionalProperties":false}},"unread":{"type":"object","required":["records","actions"],"properties":{"records":{"type":"integer","minimum":0},"actions":{"type":"integer","minimum":0}},"additionalProperties":false},"input":{"type":"object","required":["state","compacted","truncated_by","missing"],"properties":{"state":{"enum":["complete","compacted","truncated","parts_missing"],"type":"string"},"compacted":{"type":"boolean"},"truncated_by":{"type":"array","items":{"enum":["harness","window"],"type":"string"}},"missing":{"type":"object","required":["records","media"],"properties":{"records":{"type":"integer","minimum":0},"media":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false}},"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"Report":{"type":"object","required":["judges","rubric","labels","group_by","seed","draws","overall","groups","paired","judge_quality","evidence","evidence_agreement","notes"],"properties":{"judges":{"type":"array","items":{"type":"string"}},"rubric":{"anyOf":[{"type":"string"},{"type":"null"}]},"labels":{"type":"array","items":{"type":"string"}},"group_by":{"type":"string"},"seed":{"type":"integer","minimum":0},"draws":{"type":"integer","minimum":0},"overall":{"anyOf":[{"type":"object","required":["key","counts","shares","levels","mean","claims","corrected"],"properties":{"key":{"anyOf":[{"type":"string"},{"type":"null"}]},"counts":{"type":"object","required":["n","graded","unverified","failed","cancelled","failures","contradicted","unread","tasks","without_task"],"properties":{"n":{"type":"integer","minimum":0},"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"failures":{"type":"object","properties":{"judge_unreachable":{"type":"integer","minimum":0},"rate_limited":{"type":"integer","minimum":0},"quota_exhausted":{"type":"integer","minimum":0},"authentication":{"type":"integer","minimum":0},"refused":{"type":"integer","minimum":0},"truncated":{"type":"integer","minimum":0},"schema_invalid":{"type":"integer","minimum":0},"context_overflow":{"type":"integer","minimum":0},"budget_exceeded":{"type":"integer","minimum":0},"timeout":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"internal":{"type":"integer","minimum":0}},"additionalProperties":false},"contradicted":{"type":"integer","minimum":0},"unread":{"type":"integer","minimum":0},"tasks":{"type":"integer","minimum":0},"without_task":{"type":"integer","minimum":0}},"additionalProperties":false},"shares":{"type":"object","additionalProperties":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"levels":{"type":"object","additionalProperties":{"type":"object","required":["high","medium","low"],"properties":{"high":{"type":"integer","minimum":0},"medium":{"type":"integer","minimum":0},"low":{"type":"integer","minimum":0}},"additionalProperties":false}},"mean":{"anyOf":[{"type":"object","required":["value","ci95","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"claims":{"type":"object","additionalProperties":{"type":"object","required":["type","shares","mean","corrected"],"properties":{"type":{"enum":["boolean","enum","integer"],"type":"string"},"shares":{"type":"object","additionalProperties":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"mean":{"anyOf":[{"type":"object","required":["value","ci95","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"corrected":{"anyOf":[{"type":"object","required":["estimator","reason","design","n_reviews","reviews_to_halve","shares","warnings"],"properties":{"estimator":{"anyOf":[{"type":"string"},{"type":"null"}]},"reason":{"type":"string"},"design":{"anyOf":[{"enum":["random","stratified","disagreement","chosen"],"type":"string"},{"type":"null"}]},"n_reviews":{"type":"integer","minimum":0},"reviews_to_halve":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]},"shares":{"type":"object","additionalProperties":{"type":"object","required":["value","ci95"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]}},"additionalProperties":false}},"warnings":{"type":"array","items":{"type":"string"}}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false}},"corrected":{"type":"object","required":["estimator","reason","design","n_reviews","reviews_to_halve","shares","warnings"],"properties":{"estimator":{"anyOf":[{"type":"string"},{"type":"null"}]},"reason":{"type":"string"},"design":{"anyOf":[{"enum":["random","stratified","disagreement","chosen"],"type":"string"},{"type":"null"}]},"n_reviews":{"type":"integer","minimum":0},"reviews_to_halve":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]},"shares":{"type":"object","additionalProperties":{"type":"object","required":["value","ci95"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]}},"additionalProperties":false}},"warnings":{"type":"array","items":{"type":"string"}}},"additionalProperties":false},"appeared":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resistance_signals":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resistance_judge":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resistance_gap":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resistance_disagrees":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"cue_declined":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"distractor_declined":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"cue_utilization":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"alignment":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"passed":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resolution":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false},{"type":"null"}]},"groups":{"type":"array","items":{"type":"object","required":["key","counts","shares","levels","mean","claims","corrected"],"properties":{"key":{"anyOf":[{"type":"string"},{"type":"null"}]},"counts":{"type":"object","required":["n","graded","unverified","failed","cancelled","failures","contradicted","unread","tasks","without_task"],"properties":{"n":{"type":"integer","minimum":0},"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"failures":{"type":"object","properties":{"judge_unreachable":{"type":"integer","minimum":0},"rate_limited":{"type":"integer","minimum":0},"quota_exhausted":{"type":"integer","minimum":0},"authentication":{"type":"integer","minimum":0},"refused":{"type":"integer","minimum":0},"truncated":{"type":"integer","minimum":0},"schema_invalid":{"type":"integer","minimum":0},"context_overflow":{"type":"integer","minimum":0},"budget_exceeded":{"type":"integer","minimum":0},"timeout":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"internal":{"type":"integer","minimum":0}},"additionalProperties":false},"contradicted":{"type":"integer","minimum":0},"unread":{"type":"integer","minimum":0},"tasks":{"type":"integer","minimum":0},"without_task":{"type":"integer","minimum":0}},"additionalProperties":false},"shares":{"type":"object","additionalProperties":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"levels":{"type":"object","additionalProperties":{"type":"object","required":["high","medium","low"],"properties":{"high":{"type":"integer","minimum":0},"medium":{"type":"integer","minimum":0},"low":{"type":"integer","minimum":0}},"additionalProperties":false}},"mean":{"anyOf":[{"type":"object","required":["value","ci95","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"claims":{"type":"object","additionalProperties":{"type":"object","required":["type","shares","mean","corrected"],"properties":{"type":{"enum":["boolean","enum","integer"],"type":"string"},"shares":{"type":"object","additionalProperties":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"mean":{"anyOf":[{"type":"object","required":["value","ci95","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"corrected":{"anyOf":[{"type":"object","required":["estimator","reason","design","n_reviews","reviews_to_halve","shares","warnings"],"properties":{"estimator":{"anyOf":[{"type":"string"},{"type":"null"}]},"reason":{"type":"string"},"design":{"anyOf":[{"enum":["random","stratified","disagreement","chosen"],"type":"string"},{"type":"null"}]},"n_reviews":{"type":"integer","minimum":0},"reviews_to_halve":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]},"shares":{"type":"object","additionalProperties":{"type":"object","required":["value","ci95"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]}},"additionalProperties":false}},"warnings":{"type":"array","items":{"type":"string"}}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false}},"corrected":{"type":"object","required":["estimator","reason","design","n_reviews","reviews_to_halve","shares","warnings"],"properties":{"estimator":{"anyOf":[{"type":"string"},{"type":"null"}]},"reason":{"type":"string"},"design":{"anyOf":[{"enum":["random","stratified","disagreement","chosen"],"type":"string"},{"type":"null"}]},"n_reviews":{"type":"integer","minimum":0},"reviews_to_halve":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]},"shares":{"type":"object","additionalProperties":{"type":"object","required":["value","ci95"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]}},"additionalProperties":false}},"warnings":{"type":"array","items":{"type":"string"}}},"additionalProperties":false},"appeared":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resistance_signals":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resistance_judge":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resistance_gap":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resistance_disagrees":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"cue_declined":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"distractor_declined":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"cue_utilization":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"alignment":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"passed":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"resolution":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false}},"paired":{"anyOf":[{"type":"object","required":["pair_by","base","head","pairs","unpaired","measures","alignment"],"properties":{"pair_by":{"enum":["variant","agent","model"],"type":"string"},"base":{"type":"string"},"head":{"type":"string"},"pairs":{"type":"integer","minimum":0},"unpaired":{"type":"object","required":["base_only","head_only","ambiguous","without_task"],"properties":{"base_only":{"type":"integer","minimum":0},"head_only":{"type":"integer","minimum":0},"ambiguous":{"type":"integer","minimum":0},"without_task":{"type":"integer","minimum":0}},"additionalProperties":false},"measures":{"type":"array","items":{"type":"object","required":["measure","pairs","unknown","base_rate","head_rate","difference","mcnemar_p","discordant"],"properties":{"measure":{"type":"string"},"pairs":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"base_rate":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"head_rate":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"difference":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"mcnemar_p":{"anyOf":[{"type":"number"},{"type":"null"}]},"discordant":{"type":"object","required":["base_only","head_only"],"properties":{"base_only":{"type":"integer","minimum":0},"head_only":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false}},"alignment":{"anyOf":[{"type":"object","required":["resistance","cue_utilization","alignment"],"properties":{"resistance":{"type":"object","required":["base","head","difference"],"properties":{"base":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"head":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"difference":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false},"cue_utilization":{"type":"object","required":["base","head","difference"],"properties":{"base":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"head":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"difference":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false},"alignment":{"type":"object","required":["base","head","difference"],"properties":{"base":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"head":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"difference":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false},{"type":"null"}]},"judge_quality":{"type":"array","items":{"type":"object","required":["judge","n","accuracy","base_rate","constant_guess","labels","confusion","calibration","forecasts","ece","brier","reason","warnings"],"properties":{"judge":{"type":"string"},"n":{"type":"integer","minimum":0},"accuracy":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"base_rate":{"anyOf":[{"type":"object","required":["label","share"],"properties":{"label":{"type":"string"},"share":{"type":"number"}},"additionalProperties":false},{"type":"null"}]},"constant_guess":{"anyOf":[{"type":"object","required":["label","agreement"],"properties":{"label":{"type":"string"},"agreement":{"type":"number"}},"additionalProperties":false},{"type":"null"}]},"labels":{"type":"array","items":{"type":"object","required":["label","n_human","n_judge","n_both","precision","recall","f1"],"properties":{"label":{"type":"string","maxLength":100},"n_human":{"type":"integer","minimum":0},"n_judge":{"type":"integer","minimum":0},"n_both":{"type":"integer","minimum":0},"precision":{"anyOf":[{"type":"number"},{"type":"null"}]},"recall":{"anyOf":[{"type":"number"},{"type":"null"}]},"f1":{"anyOf":[{"type":"number"},{"type":"null"}]}},"additionalProperties":false}},"confusion":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},"calibration":{"type":"array","items":{"type":"object","required":["level","n","value","ci95","reason"],"properties":{"level":{"enum":["low","medium","high"],"type":"string"},"n":{"type":"integer","minimum":0},"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"forecasts":{"type":"integer","minimum":0},"ece":{"anyOf":[{"type":"number"},{"type":"null"}]},"brier":{"anyOf":[{"type":"number"},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]},"warnings":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}},"evidence":{"type":"array","items":{"type":"object","required":["judge","grades","citations"],"properties":{"judge":{"type":"string"},"grades":{"type":"object","required":["graded","unverified","failed"],"properties":{"graded":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"unverified":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"failed":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false},"citations":{"type":"object","required":["verified","normalized","wrong_step","not_found","too_short","wrong_actor","out_of_order","step_not_found"],"properties":{"verified":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"normalized":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"wrong_step":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"not_found":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"too_short":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"wrong_actor":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"out_of_order":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"step_not_found":{"type":"object","required":["value","ci95","k","n","unknown","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"k":{"type":"integer","minimum":0},"n":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false}},"evidence_agreement":{"type":"array","items":{"type":"object","required":["raters","overlapping","disjoint","unquoted","other_label","unknown"],"properties":{"raters":{"type":"array","items":{"type":"string"}},"overlapping":{"type":"integer","minimum":0},"disjoint":{"type":"integer","minimum":0},"unquoted":{"type":"integer","minimum":0},"other_label":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0}},"additionalProperties":false}},"notes":{"type":"array","items":{"type":"string"}}},"additionalProperties":false},"Review":{"type":"object","required":["id","grade_id","trajectory","ground_truth","rater","label","claims","comment","blind","sampling","grade_label","created_at"],"properties":{"id":{"type":"string","pattern":"^rev_[0-9a-z]+$"},"grade_id":{"type":"string"},"trajectory":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"ground_truth":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"rubric":{"type":"string"},"rater":{"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"outcome":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}]},"claims":{"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"integer"},{"type":"string","maxLength":300},{"type":"null"}]}},{"type":"null"}]},"comment":{"type":"string"},"blind":{"type":"boolean"},"sampling":{"anyOf":[{"type":"object","required":["design"],"properties":{"design":{"enum":["random","stratified","disagreement","chosen"],"type":"string"},"probability":{"type":"number","minimum":1e-9,"maximum":1}},"additionalProperties":false},{"type":"null"}]},"provenance":{"enum":["human","environment","injected","agent"],"type":"string"},"grade_label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"created_at":{"type":"string"}},"additionalProperties":false},"ReviewPage":{"type":"object","required":["items","next_cursor"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Review"}},"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"Disagreement":{"type":"object","required":["trajectory","ground_truth","rubric","agent","model","task","kinds","score","terms","why","grades","claims","signals","reviews","settled"],"properties":{"trajectory":{"type":"string"},"ground_truth":{"type":"string"},"rubric":{"type":"string"},"agent":{"anyOf":[{"type":"string"},{"type":"null"}]},"model":{"anyOf":[{"type":"string"},{"type":"null"}]},"task":{"anyOf":[{"type":"string"},{"type":"null"}]},"trial":{"anyOf":[{"type":"string"},{"type":"null"}]},"kinds":{"type":"array","items":{"enum":["human","judges","signals","samples","contradiction","evidence","unverified"],"type":"string"}},"score":{"type":"number"},"terms":{"type":"object","required":["kind","claims","confidence","votes"],"properties":{"kind":{"type":"number"},"claims":{"type":"number"},"confidence":{"type":"number"},"votes":{"type":"number"}},"additionalProperties":false},"why":{"type":"array","items":{"type":"string"}},"grades":{"type":"array","items":{"type":"object","required":["grade_id","judge","rubric","status","label","claimed_label","outcome","claims","confidence","votes","contradictions"],"properties":{"grade_id":{"type":"string"},"judge":{"type":"string"},"rubric":{"type":"string"},"status":{"enum":["graded","unverified","failed"],"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"claimed_label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"outcome":{"anyOf":[{"anyOf":[{"type":"string"},{"type":"number"}]},{"type":"null"}]},"claims":{"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]},{"type":"array","items":{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]}}}]}},{"type":"null"}]},"confidence":{"anyOf":[{"enum":["low","medium","high"],"type":"string"},{"type":"null"}]},"votes":{"type":"array","items":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]}},"contradictions":{"type":"array","items":{"enum":["observed_against_signal","distractor_against_signal","observed_against_anchor","acted_against_anchor","doubtful_sight","doubtful_act","resolved_against_signal","agent_against_step","doubtful_absence","no_majority"],"type":"string"}}},"additionalProperties":false}},"claims":{"type":"array","items":{"type":"object","required":["claim","said"],"properties":{"claim":{"type":"string"},"said":{"type":"array","items":{"type":"object","required":["by","value"],"properties":{"by":{"type":"string"},"value":{"anyOf":[{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]},{"type":"array","items":{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"number"},{"type":"null"}]}}}]}},"additionalProperties":false}}},"additionalProperties":false}},"signals":{"anyOf":[{"type":"object","properties":{"appeared":{"type":"boolean"},"executed":{"type":"boolean"},"resolved":{"type":"boolean"}},"additionalProperties":false},{"type":"null"}]},"reviews":{"type":"array","items":{"type":"object","required":["id","rater","label","blind","provenance"],"properties":{"id":{"type":"string"},"rater":{"type":"string"},"label":{"anyOf":[{"type":"string","maxLength":100},{"type":"null"}]},"blind":{"type":"boolean"},"provenance":{"enum":["human","environment","injected","agent"],"type":"string"}},"additionalProperties":false}},"settled":{"type":"boolean"}},"additionalProperties":false},"DisagreementPage":{"type":"object","required":["items","next_cursor"],"properties":{"items":{"type":"array","items":{"$ref":"#/components/schemas/Disagreement"}},"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false},"Agreement":{"type":"object","required":["n_items","n_raters","n_ratings","raw_agreement","cohen_kappa","fleiss_kappa","krippendorff_alpha","gwet_ac1","confusion","prevalence","base_rate","constant_guess","effective_raters","bootstrap"],"properties":{"n_items":{"type":"integer","minimum":0},"n_raters":{"type":"integer","minimum":0},"n_ratings":{"type":"integer","minimum":0},"raw_agreement":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"cohen_kappa":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"fleiss_kappa":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"krippendorff_alpha":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"gwet_ac1":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"weighted":{"type":"object","required":["scale","linear_kappa","quadratic_kappa","krippendorff_alpha","undefined"],"properties":{"scale":{"enum":["ordinal","interval"],"type":"string"},"linear_kappa":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"quadratic_kappa":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"krippendorff_alpha":{"type":"object","required":["value","ci95","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"ci95":{"anyOf":[{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"undefined":{"type":"object","required":["linear_kappa","quadratic_kappa","krippendorff_alpha"],"properties":{"linear_kappa":{"type":"integer","minimum":0},"quadratic_kappa":{"type":"integer","minimum":0},"krippendorff_alpha":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false},"confusion":{"anyOf":[{"type":"object","required":["labels","row_rater","column_rater","matrix"],"properties":{"labels":{"type":"array","items":{"type":"string","minLength":1,"maxLength":100}},"row_rater":{"type":"string"},"column_rater":{"type":"string"},"matrix":{"type":"array","items":{"type":"array","items":{"type":"integer","minimum":0}}}},"additionalProperties":false},{"type":"null"}]},"prevalence":{"type":"object","additionalProperties":{"type":"number","minimum":0,"maximum":1}},"base_rate":{"anyOf":[{"type":"object","required":["label","share"],"properties":{"label":{"type":"string"},"share":{"type":"number"}},"additionalProperties":false},{"type":"null"}]},"constant_guess":{"anyOf":[{"type":"object","required":["label","agreement"],"properties":{"label":{"type":"string"},"agreement":{"type":"number"}},"additionalProperties":false},{"type":"null"}]},"effective_raters":{"type":"object","required":["value","mean_kappa","reason"],"properties":{"value":{"anyOf":[{"type":"number"},{"type":"null"}]},"mean_kappa":{"anyOf":[{"type":"number"},{"type":"null"}]},"reason":{"anyOf":[{"enum":["no_ratings","no_pairs","one_category","not_two_raters","too_many_raters","unequal_ratings","no_cases","no_discordant_pairs","too_few_units","too_few_reviews","mostly_undefined","no_spread"],"type":"string"},{"type":"null"}]}},"additionalProperties":false},"bootstrap":{"type":"object","required":["draws","seed","unit","n_units","undefined"],"properties":{"draws":{"type":"integer","minimum":0},"seed":{"type":"integer","minimum":0},"unit":{"enum":["item","cluster"],"type":"string"},"n_units":{"type":"integer","minimum":0},"undefined":{"type":"object","required":["raw_agreement","cohen_kappa","fleiss_kappa","krippendorff_alpha","gwet_ac1"],"properties":{"raw_agreement":{"type":"integer","minimum":0},"cohen_kappa":{"type":"integer","minimum":0},"fleiss_kappa":{"type":"integer","minimum":0},"krippendorff_alpha":{"type":"integer","minimum":0},"gwet_ac1":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false},"coverage":{"type":"array","items":{"type":"object","required":["rater","n","graded","unverified","failed","cancelled","undecided","missing"],"properties":{"rater":{"type":"string"},"n":{"type":"integer","minimum":0},"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0},"undecided":{"type":"integer","minimum":0},"missing":{"type":"integer","minimum":0},"provenance":{"type":"object","required":["human","environment","injected","agent"],"properties":{"human":{"type":"integer","minimum":0},"environment":{"type":"integer","minimum":0},"injected":{"type":"integer","minimum":0},"agent":{"type":"integer","minimum":0}},"additionalProperties":false}},"additionalProperties":false}},"evidence_agreement":{"type":"array","items":{"type":"object","required":["raters","overlapping","disjoint","unquoted","other_label","unknown"],"properties":{"raters":{"type":"array","items":{"type":"string"}},"overlapping":{"type":"integer","minimum":0},"disjoint":{"type":"integer","minimum":0},"unquoted":{"type":"integer","minimum":0},"other_label":{"type":"integer","minimum":0},"unknown":{"type":"integer","minimum":0}},"additionalProperties":false}}},"additionalProperties":false},"Findings":{"type":"object","required":["batch","ended","classes","open","tally","results","findings","signoff"],"properties":{"batch":{"type":"string"},"ended":{"type":"boolean"},"classes":{"type":"array","items":{"type":"object","required":["id","kind","count","digest","trials","disposition","open"],"properties":{"id":{"type":"string","pattern":"^(?:failed|cancelled|unverified|contradiction|disagreement|unread|conflicting_reward)(?::[!-~]{1,90})?$"},"kind":{"enum":["failed","cancelled","unverified","contradiction","disagreement","unread","conflicting_reward"],"type":"string"},"count":{"type":"integer","minimum":0},"digest":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"trials":{"type":"array","items":{"type":"object","required":["item_id","index","name","grade_id","against","why"],"properties":{"item_id":{"type":"string"},"index":{"type":"integer","minimum":0},"name":{"type":"string"},"grade_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"against":{"type":"array","items":{"type":"string"}},"why":{"type":"string"}},"additionalProperties":false}},"disposition":{"anyOf":[{"type":"object","required":["id","batch","class","disposition","reason","by","digest","count","created_at"],"properties":{"id":{"type":"string","pattern":"^dsp_[0-9a-z]+$"},"batch":{"type":"string"},"class":{"type":"string","pattern":"^(?:failed|cancelled|unverified|contradiction|disagreement|unread|conflicting_reward)(?::[!-~]{1,90})?$"},"disposition":{"enum":["accepted","regraded","dismissed"],"type":"string"},"reason":{"type":"string"},"by":{"type":"string"},"digest":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"count":{"type":"integer","minimum":0},"created_at":{"type":"string"}},"additionalProperties":false},{"type":"null"}]},"open":{"type":"boolean"}},"additionalProperties":false}},"open":{"type":"integer","minimum":0},"tally":{"type":"array","items":{"type":"object","required":["kind","disposition","classes","findings"],"properties":{"kind":{"enum":["failed","cancelled","unverified","contradiction","disagreement","unread","conflicting_reward"],"type":"string"},"disposition":{"enum":["accepted","regraded","dismissed","open"],"type":"string"},"classes":{"type":"integer","minimum":0},"findings":{"type":"integer","minimum":0}},"additionalProperties":false}},"results":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"findings":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"signoff":{"anyOf":[{"type":"object","required":["id","batch","by","counts","tally","results","findings","created_at","outdated"],"properties":{"id":{"type":"string","pattern":"^dsp_[0-9a-z]+$"},"batch":{"type":"string"},"by":{"type":"string"},"counts":{"type":"object","required":["total","pending","running","graded","unverified","failed","cancelled"],"properties":{"total":{"type":"integer","minimum":0},"pending":{"type":"integer","minimum":0},"running":{"type":"integer","minimum":0},"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0}},"additionalProperties":false},"tally":{"type":"array","items":{"type":"object","required":["kind","disposition","classes","findings"],"properties":{"kind":{"enum":["failed","cancelled","unverified","contradiction","disagreement","unread","conflicting_reward"],"type":"string"},"disposition":{"enum":["accepted","regraded","dismissed","open"],"type":"string"},"classes":{"type":"integer","minimum":0},"findings":{"type":"integer","minimum":0}},"additionalProperties":false}},"results":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"findings":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"created_at":{"type":"string"},"outdated":{"type":"boolean"}},"additionalProperties":false},{"type":"null"}]}},"additionalProperties":false},"Disposition":{"type":"object","required":["id","batch","class","disposition","reason","by","digest","count","created_at"],"properties":{"id":{"type":"string","pattern":"^dsp_[0-9a-z]+$"},"batch":{"type":"string"},"class":{"type":"string","pattern":"^(?:failed|cancelled|unverified|contradiction|disagreement|unread|conflicting_reward)(?::[!-~]{1,90})?$"},"disposition":{"enum":["accepted","regraded","dismissed"],"type":"string"},"reason":{"type":"string"},"by":{"type":"string"},"digest":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"count":{"type":"integer","minimum":0},"created_at":{"type":"string"}},"additionalProperties":false},"Signoff":{"type":"object","required":["id","batch","by","counts","tally","results","findings","created_at"],"properties":{"id":{"type":"string","pattern":"^dsp_[0-9a-z]+$"},"batch":{"type":"string"},"by":{"type":"string"},"counts":{"type":"object","required":["total","pending","running","graded","unverified","failed","cancelled"],"properties":{"total":{"type":"integer","minimum":0},"pending":{"type":"integer","minimum":0},"running":{"type":"integer","minimum":0},"graded":{"type":"integer","minimum":0},"unverified":{"type":"integer","minimum":0},"failed":{"type":"integer","minimum":0},"cancelled":{"type":"integer","minimum":0}},"additionalProperties":false},"tally":{"type":"array","items":{"type":"object","required":["kind","disposition","classes","findings"],"properties":{"kind":{"enum":["failed","cancelled","unverified","contradiction","disagreement","unread","conflicting_reward"],"type":"string"},"disposition":{"enum":["accepted","regraded","dismissed","open"],"type":"string"},"classes":{"type":"integer","minimum":0},"findings":{"type":"integer","minimum":0}},"additionalProperties":false}},"results":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"findings":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"created_at":{"type":"string"}},"additionalProperties":false},"Status":{"type":"object","required":["status"],"properties":{"status":{"type":"string"}},"additionalProperties":false},"Problem":{"type":"object","required":["type","title","status","code","detail"],"properties":{"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"code":{"type":"string"},"detail":{"type":"string"},"errors":{"type":"array","items":{"type":"object","required":["path","message"],"properties":{"path":{"type":"string"},"message":{"type":"string"}},"additionalProperties":false}},"grade_id":{"type":"string"},"retryable":{"type":"boolean"}},"additionalProperties":false}};
