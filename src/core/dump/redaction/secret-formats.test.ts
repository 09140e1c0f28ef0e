import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '../../../../test/without-marks.js';
import { formats, secretFormats } from './secret-formats.js';

const redactor = createRedactor();

/** Each key's documented format: prefix, length and alphabet. If the length is not documented, that of the examples. */
const documented: readonly (readonly [service: string, ...forms: readonly RegExp[]])[] = [
  ['JSON web token', /^eyJ[A-Za-z0-9_-]{30}\.eyJ[A-Za-z0-9_-]{40}\.[A-Za-z0-9_-]{43}$/],
  [
    'encrypted JSON web token',
    /^eyJ[A-Za-z0-9_-]{30}\.\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{40}\.[A-Za-z0-9_-]{22}$/,
  ],
  ['PASETO', /^v[1-4]\.(local|public)\.[A-Za-z0-9_-]{60}(\.[A-Za-z0-9_-]{20})?$/],
  ['age', /^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$/, /^AGE-SECRET-KEY-PQ-1[02-9AC-HJ-NP-Z]{58}$/],
  [
    'Stripe',
    /^[sr]k_(live|test)_[A-Za-z0-9]{24}$/,
    /^[sr]k_(live|test)_51[A-Za-z0-9]{97}$/,
    /^whsec_[A-Za-z0-9+/]{32}$/,
  ],
  ['GitHub', /^gh[pousr]_[A-Za-z0-9]{36}$/, /^github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}$/],
  ['GitHub, installation', /^ghs_[0-9]{6}_eyJ[A-Za-z0-9_-]{30}\.eyJ[A-Za-z0-9_-]{300}\.[A-Za-z0-9_-]{86}$/],
  [
    'GitLab',
    /^gl(pat|dt|rt|cbt|ptt|ft|imt|soat)-[A-Za-z0-9_-]{20}$/,
    /^glpat-[A-Za-z0-9_-]{27,100}\.[0-9a-z]{2}[0-9a-z]{7}$/,
    /^gl(oas|agent)-[A-Za-z0-9_-]{50,64}$/,
  ],
  [
    'AWS',
    /^A(KIA|SIA|BIA|CCA)[A-Z2-7]{16}$/,
    /^amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    /^bedrock-api-key-[A-Za-z0-9+/]{120}={0,2}$/,
  ],
  [
    'Slack',
    /^xox[bp]-[0-9]{10,13}-[0-9]{10,13}-[A-Za-z0-9]{24}$/,
    /^xoxe\.xox[bp]-1-[A-Za-z0-9]{166}$/,
    /^xoxe-1-[A-Za-z0-9]{147}$/,
    /^xapp-1-A[A-Z0-9]{10}-[0-9]{13}-[0-9a-f]{64}$/,
  ],
  [
    'Google',
    /^AIza[A-Za-z0-9_-]{35}$/,
    /^ya29\.[A-Za-z0-9_-]{100}$/,
    /^1\/\/0[0-9a-z][A-Za-z0-9_-]{90}$/,
    /^GOCSPX-[A-Za-z0-9_-]{28}$/,
  ],
  ['npm', /^npm_[A-Za-z0-9]{36}$/],
  ['PyPI', /^pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{100}$/],
  ['RubyGems', /^rubygems_[0-9a-f]{48}$/],
  ['Clojars', /^CLOJARS_[0-9a-z]{60}$/],
  ['NuGet', /^oy2[a-z0-9]{43}$/],
  ['Docker', /^dckr_pat_[A-Za-z0-9_-]{27}$/, /^dckr_oat_[A-Za-z0-9_-]{32}$/],
  ['SendGrid', /^SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/],
  ['Twilio', /^SK[0-9a-f]{32}$/],
  ['Mailgun', /^key-[0-9a-f]{32}$/],
  ['Brevo', /^x(keysib|smtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}$/],
  ['Resend', /^re_[A-Za-z0-9]{8}_[0-9][A-Za-z0-9]{23}$/],
  ['Hugging Face', /^hf_[A-Za-z]{34}$/, /^api_org_[A-Za-z]{34}$/],
  [
    'OpenAI',
    /^sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}$/,
    /^sk-(proj|svcacct|admin)-[A-Za-z0-9_]{58}-[A-Za-z0-9_]{15}T3BlbkFJ[A-Za-z0-9_-]{74}$/,
  ],
  ['Anthropic', /^sk-ant-(api03|admin01)-[A-Za-z0-9_]{20}[A-Za-z0-9_-]{73}AA$/],
  ['OpenRouter', /^sk-or-v1-[0-9a-f]{64}$/],
  ['Groq', /^gsk_[A-Za-z0-9]{52}$/],
  ['xAI', /^xai-[A-Za-z0-9]{80}$/],
  ['Perplexity', /^pplx-[A-Za-z0-9]{48}$/],
  ['Replicate', /^r8_[A-Za-z0-9]{37}$/],
  ['NVIDIA', /^nvapi-[A-Za-z0-9_-]{64}$/],
  ['Tavily', /^tvly-(dev-)?[A-Za-z0-9]{32}$/],
  ['LangSmith', /^lsv2_(pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}$/],
  ['Vault', /^hv[sbr]\.[A-Za-z0-9_-]{90,120}$/],
  ['HCP Terraform', /^[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{67}$/],
  ['Doppler', /^dp\.pt\.[A-Za-z0-9]{43}$/, /^dp\.st\.[a-z]{3}\.[A-Za-z0-9]{43}$/],
  [
    '1Password',
    /^ops_eyJ[A-Za-z0-9_-]{250}$/,
    /^A3-[A-Z0-9]{6}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}$/,
    /^A3-[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}$/,
  ],
  ['Pulumi', /^pul-[0-9a-f]{40}$/],
  ['Databricks', /^dapi[0-9a-f]{32}(-[0-9])?$/],
  ['Dynatrace', /^dt0[a-z]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}$/],
  ['DigitalOcean', /^do[opr]_v1_[0-9a-f]{64}$/],
  [
    'Heroku',
    /^HRKU-[A-Za-z0-9_-]{60}$/,
    /^HRKU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  ],
  ['Netlify', /^nf[pcoub]_[A-Za-z0-9]{36}$/],
  ['Vercel', /^vc[pikar]_[A-Za-z0-9]{56}$/],
  [
    'Fly.io',
    /^fm2_[A-Za-z0-9+/]{100}={0,2}$/,
    /^fo1_[A-Za-z0-9_-]{43}$/,
    /^fm1[ar]_[A-Za-z0-9+/]{100}={0,2}$/,
  ],
  ['Cloudflare', /^cf(k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}$/, /^v1\.0-[0-9a-f]{24}-[0-9a-f]{146}$/],
  ['Supabase', /^sbp_[0-9a-f]{40}$/, /^sb_secret_[A-Za-z0-9_-]{31}$/],
  ['PlanetScale', /^pscale_(tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}$/],
  ['Neon', /^napi_[a-z0-9]{64}$/],
  ['Render', /^rnd_[A-Za-z0-9]{28}$/],
  ['Lob and Mollie', /^(live|test)_[0-9a-f]{35}$/, /^(live|test)_[A-Za-z0-9]{30}$/],
  ['Snyk', /^snyk_(uat|sat)\.[0-9a-f]{8}\.[A-Za-z0-9_-]{60}\.[A-Za-z0-9_-]{80}$/],
  ['Tailscale', /^tskey-(auth|api|client)-[A-Za-z0-9]{17}-[A-Za-z0-9]{32}$/],
  ['New Relic', /^NRAK-[A-Z0-9]{27}$/, /^NRJS-[0-9a-f]{19}$/, /^NRII-[A-Za-z0-9-]{32}$/],
  ['Grafana', /^glc_[A-Za-z0-9+/]{32,400}={0,3}$/, /^glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}$/],
  ['Sentry', /^sntrys_eyJ[A-Za-z0-9+/]{100}={0,2}_[A-Za-z0-9+/]{43}$/, /^sntryu_[0-9a-f]{64}$/],
  ['PostHog', /^ph[xs]_[A-Za-z0-9]{43}$/],
  ['Honeycomb', /^hcaik_[0-9a-z]{58}$/],
  ['SonarQube', /^sq[upa]_[0-9a-f]{40}$/],
  ['Sourcegraph', /^sgp_([0-9a-f]{16}_)?[0-9a-f]{40}$/, /^sgp_local_[0-9a-f]{40}$/],
  ['Buildkite', /^bkua_[0-9a-f]{40}$/],
  ['CircleCI', /^CCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}$/],
  ['Atlassian', /^ATATT3[A-Za-z0-9_=-]{186}$/, /^ATBB[A-Za-z0-9]{32}$/],
  ['Linear', /^lin_(api|oauth)_[A-Za-z0-9]{40}$/],
  ['Notion', /^ntn_[0-9]{11}[A-Za-z0-9]{35}$/, /^secret_[A-Za-z0-9]{43}$/],
  ['Figma', /^fig[dor]_[A-Za-z0-9_-]{40}$/],
  ['Airtable', /^pat[A-Za-z0-9]{14}\.[0-9a-f]{64}$/],
  ['Postman', /^PMAK-[0-9a-f]{24}-[0-9a-f]{34}$/],
  ['ReadMe', /^rdme_[a-z0-9]{70}$/],
  ['Contentful', /^CFPAT-[A-Za-z0-9_-]{43}$/],
  ['Typeform', /^tfp_[A-Za-z0-9_]{40,59}$/],
  ['HubSpot', /^pat-(na|eu)1-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/],
  ['Shopify', /^shp(at|ca|pa|ss)_[0-9a-fA-F]{32}$/],
  ['Shippo', /^shippo_(live|test)_[0-9a-f]{40}$/],
  ['Square', /^sq0(atp|csp|idp)-[A-Za-z0-9_-]{22,43}$/, /^EAAA[A-Za-z0-9_-]{60}$/],
  ['Meta', /^EAA[A-Z][A-Za-z0-9]{100,200}$/],
  ['Braintree', /^access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}$/],
  ['Flutterwave', /^FLWSECK_TEST-[0-9a-h]{32}-X$/, /^FLWSECK-[0-9a-f]{32}-X$/],
  ['Duffel', /^duffel_(test|live)_[A-Za-z0-9_-]{43}$/],
  ['EasyPost', /^EZ[AT]K[A-Za-z0-9]{54}$/],
  ['Alibaba Cloud', /^LTAI[A-Za-z0-9]{20}$/],
  ['Tencent Cloud', /^AKID[A-Za-z0-9]{32}$/],
  ['JFrog', /^AKCp[A-Za-z0-9]{69}$/, /^cmVmd[A-Za-z0-9]{59}$/],
  ['Microsoft Entra', /^[A-Za-z0-9_]{3}8Q~[A-Za-z0-9_~.-]{34}$/],
  ['Adobe', /^p8e-[a-z0-9]{32}$/],
  ['Telegram', /^[0-9]{8,10}:AA[A-Za-z0-9_-]{33}$/],
  ['Discord', /^[MNO][A-Za-z0-9_-]{23}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}$/],
  [
    'iron',
    /^Fe26\.2\*\*[0-9a-f]{64}\*[A-Za-z0-9_-]{22}\*[A-Za-z0-9_-]{40}\*\*[0-9a-f]{64}\*[A-Za-z0-9_-]{43}$/,
  ],
];

/** Some keys in the documented format, the same in each run. */
function samplesOf(form: RegExp): readonly string[] {
  return fc.sample(fc.stringMatching(form), { numRuns: 10, seed: 7 });
}

describe('keys of well-known services', () => {
  for (const [service, ...forms] of documented)
    it(`of ${service} are hidden completely in prose, code, JSON and a path`, () => {
      for (const key of forms.flatMap(samplesOf)) {
        assert.equal(redactor.text(`see ${key} there`), 'see [redacted] there', key);
        assert.equal(redactor.text(`f('${key}')`), "f('[redacted]')", key);
        assert.equal(redactor.json(JSON.stringify({ note: key })), '{"note":"[redacted]"}', key);
        if (!key.includes('/')) assert.equal(redactor.url(`/a/${key}`), '/a/[redacted]', key);
      }
    });

  it('include a documented format for each recognised one', () => {
    const samples = documented.flatMap(([, ...forms]) => forms.flatMap(samplesOf));
    const without = formats.filter(([beginning, rest]) => {
      const format = new RegExp(`^(?:${beginning + rest})`);
      return !samples.some((key) => format.test(key));
    });
    assert.deepEqual(without, []);
  });

  it('are not recognised in names, words and other values', () => {
    for (const text of [
      'sk-learn task-runner risk-assessment-of-the-year',
      'npm_config_registry pypi-server dapifier pat-na',
      'v1.0-beta.2 v2.public.api re_export_all_members key-value',
      'SKU12345 SKIPPED shpmt EAAAA AKIA ASIA',
      'secret_santa_2026 api_organisation hf_hub',
      'commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad',
      'live_stream_of_the_conference_in_zurich test_that_a_user_can_log_in rnd_seed napi_create_function',
      'urn:uuid:f47ac10b-58cc-4372-a567-0e02b2c3d479',
      'ETag: W/"5d8c72a5edda8-2b1f"',
    ])
      assert.equal(text.replace(secretFormats, '!'), text);
  });
});
