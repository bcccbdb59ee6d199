// A document that is being edited: what the server has of it, the form, and what goes
// back and forth between them. Whatever happens, what was typed stays.

import { batch, computed, effect, type Signal, signal } from "@preact/signals";
import { ApiError } from "../core/api";
import { t } from "../core/i18n";
import { type Change, subscribe } from "../core/live";
import { announce } from "../core/live-region";
import { type Action, type ContentType, may, type Status } from "../core/schema";
import { account } from "../core/session";
import { toast } from "../ui/toasts";
import { create, type Entry, findMade, load, type Loaded, type Place, update } from "./document";
import { FormStore, type Texts } from "./form/form";
import type { MergedText } from "./form/merge";
import { textOf } from "./form/shape";
import type { StoredForm } from "./form/stored";
import { type Address, clearKept, findKept, type Found, Keeper, type Kept, namePage } from "./keep";
import { entryOf, isNewName, loadOrNone, loadShared, readAutosave, shapeOf } from "./opening";
import { isPassing, refusalsOf } from "./refusal";
import { say } from "./say";
import { textsFor } from "./texts";

/** What Save is doing: waiting means that the server is not reached, and it tries on. */
export type Saving = "idle" | "saving" | "waiting";

/** Texts of a form that were merged at once, and what was said of them. */
export interface ShownMerge {
  readonly text: string;
  readonly texts: readonly MergedText[];
  readonly form: FormStore;
}

const retryDelay = 2000; // ms
const mergesAtMost = 5;

export class Editing {
  readonly saving = signal<Saving>("idle");
  readonly form: Signal<FormStore>;
  /** What the server has; null for what is not made yet. */
  readonly loaded: Signal<Loaded | null>;
  readonly documentId: Signal<string | null>;
  /** What was restored when the page was opened, until that is discarded or saved. */
  readonly restored = signal<Found | null>(null);
  /** What the server refused and has no place in the form. */
  readonly refusals = signal<readonly string[]>([]);
  /** Somebody has deleted the document while it was open. */
  readonly gone = signal(false);
  /** Grows when the errors are to be shown: after a refused Save or Publish. */
  readonly shownFaults = signal(0);
  /** Grows when conflicts are to be decided before Save goes on. */
  readonly asked = signal(0);
  /** Merged texts that are shown with what has changed in them. */
  readonly shownMerge = signal<ShownMerge | null>(null);

  readonly dirty = computed(() => this.form.value.dirty.value);
  readonly title = computed(() => textOf(this.form.value.value([this.type.mainField]).value));
  readonly status = computed<Status>(() => this.state.value?.status ?? "draft");
  readonly state = computed(() => {
    const locales = this.loaded.value?.locales ?? [];
    return locales.find((l) => l.locale === this.locale) ?? (this.type.localized ? undefined : locales[0]);
  });

  private keeper: Keeper;
  private readonly stops: (() => void)[] = [];
  private under: Promise<boolean> | null = null;
  private refreshing: number | undefined;

  constructor(
    readonly type: ContentType,
    readonly locale: string | null,
    documentId: string | null,
    loaded: Loaded | null,
    /** The document in another locale, while it is not written in this one. */
    readonly shared: Entry | null,
    form: FormStore,
    /** What the form no longer has since its schema has changed. */
    readonly lost: Signal<readonly string[]> = signal([]),
  ) {
    this.loaded = signal(loaded);
    this.documentId = signal(documentId);
    this.form = signal(form);
    this.keeper = this.makeKeeper();
    this.follow();
  }

  /** Opens a document, with what was typed and not saved before. */
  static async open(type: ContentType, documentId: string | null, locale: string | null, initial?: Entry): Promise<Editing> {
    await namePage();
    const place = { type, documentId, locale };
    const isNew = isNewName(documentId);
    const loaded = isNew ? null : await loadOrNone(place);
    const autosave = isNew ? await readAutosave(type, documentId, locale) : loaded?.autosave;
    const shared = await loadShared(place, loaded);
    const form = new FormStore({ shape: shapeOf(type), entry: entryOf(loaded), shared, say });
    const editing = new Editing(type, locale, documentId, loaded, shared, form);
    if (initial && !entryOf(loaded)) for (const [name, value] of Object.entries(initial)) form.set([name], value);
    if (autosave) editing.keeper.known();
    const kept = await findKept(editing.address, autosave);
    if (kept) await editing.restore(kept);
    return editing;
  }

  get place(): Place {
    return { type: this.type, documentId: this.isNew ? null : this.documentId.peek(), locale: this.locale };
  }

  get isNew(): boolean {
    return isNewName(this.documentId.value);
  }

  /** Whether the server has an entry of this locale. */
  get exists(): boolean {
    return entryOf(this.loaded.value) !== null;
  }

  /** The entry in another locale; null if there is none. */
  async inLocale(locale: string): Promise<Entry | null> {
    return entryOf(await load({ ...this.place, locale }));
  }

  /** Why the account may not do something with this document; null if it may. */
  refusal(action: Action): string | null {
    const { type } = this;
    const needs = action === "update" && this.isNew ? "create" : action;
    if (!may(type, needs)) return t(`editor.may-not.${needs}`, { type: type.displayName });
    const creator = this.loaded.value?.createdBy?.id;
    if (type.ways && needs !== "read") {
      const ways = type.ways.filter((way) => way.actions.includes(needs) && (needs === "create" || this.isNew || !way.own || creator === account.value?.id));
      if (ways.length === 0) return t("editor.may-not.own");
      return !this.locale || ways.some((way) => way.locales === null || way.locales.includes(this.locale!)) ? null : t("editor.may-not.locale");
    }
    if (type.locales && this.locale && needs !== "read" && !type.locales.includes(this.locale)) return t("editor.may-not.locale");
    if (type.own && !this.isNew && needs !== "read" && needs !== "create" && creator !== account.value?.id) return t("editor.may-not.own");
    return null;
  }

  /** Saves. Gives whether all that was typed is stored. */
  save(): Promise<boolean> {
    return this.once(() => this.write("save"));
  }

  /** Saves what is to be published; gives whether it can be: not what others have stored since, which nobody here has seen. */
  savePublishable(): Promise<boolean> {
    return this.once(() => this.write("publish"));
  }

  private async once(work: () => Promise<boolean>): Promise<boolean> {
    await this.rest();
    const under = work().finally(() => {
      this.saving.value = "idle";
      this.under = null;
    });
    this.under = under;
    return under;
  }

  /** What saving sends, and the values that it stands for. */
  body() {
    return this.form.peek().body(this.gone.peek() || (!this.exists && !this.shared) ? "document" : this.exists ? "changes" : "locale");
  }

  private async write(what: "save" | "publish"): Promise<boolean> {
    const form = this.form.peek();
    form.history.close();
    let attemptedAt: Date | null = null;
    let unseen = false;
    for (let merges = 0; ; ) {
      if (form.problems.blocking(this.type.draftAndPublish ? what : "publish").length > 0) return this.showFaults(what);
      if (form.conflicts.peek().length > 0) return this.askConflicts();
      if (this.exists && !this.gone.peek() && !form.dirty.peek()) return what === "save" || this.isSeen(unseen);
      this.saving.value = "saving";
      const { data, sent } = this.body();
      const began = new Date();
      try {
        const version = await this.send(data, attemptedAt);
        unseen = (await this.settle(sent, version)) || unseen;
        return what === "save" || this.isSeen(unseen);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (isPassing(error)) {
          attemptedAt ??= began;
          await this.wait();
        } else if (error.status === 412 && merges++ < mergesAtMost) unseen = (await this.mergeTheirs()) || unseen;
        else if (error.status === 404 && this.exists) return this.lose();
        else return this.refused(error, sent);
      }
    }
  }

  private isSeen(unseen: boolean): boolean {
    if (unseen) toast({ kind: "error", text: t("editor.not-seen") });
    return !unseen;
  }

  /** Gives the version that the document has by this write; undefined for a new one. */
  private async send(data: Entry, uncertainSince: Date | null): Promise<string | undefined> {
    const suggested = this.form.peek().hasSuggestions();
    if (this.type.kind === "collectionType" && (this.isNew || this.gone.peek())) {
      const made = uncertainSince ? await findMade(this.place, data, uncertainSince) : null;
      const documentId = made ?? (await create(this.place, data, suggested));
      this.moveTo(documentId);
      return undefined;
    }
    return update(this.place, data, this.loaded.peek()?.version, suggested);
  }

  /** A new document has its name: what is kept of it goes on under that. */
  private moveTo(documentId: string) {
    void this.keeper.forget();
    this.documentId.value = documentId;
    this.gone.value = false;
    this.keeper = this.makeKeeper();
  }

  /** Reads what was stored. What was typed meanwhile stays in the form. Gives whether others have stored something since. */
  private async settle(sent: Entry, version: string | undefined): Promise<boolean> {
    const loaded = await this.persist(() => load(this.place));
    const entry = entryOf(loaded) ?? {};
    const others = version !== undefined && loaded.version !== version ? await textsFor(this.form.peek(), entry, sent) : undefined;
    let changed = false;
    batch(() => {
      this.loaded.value = loaded;
      const { taken, merged } = this.form.peek().stored(entry, sent, others);
      changed = others !== undefined && taken.length + merged.length + this.form.peek().conflicts.peek().length > 0;
      this.tellMerged(loaded, merged);
      this.form.peek().problems.sentFor.value = "nothing";
      this.refusals.value = [];
      this.restored.value = null;
    });
    if (!this.form.peek().dirty.peek()) await this.forget();
    announce(t("editor.saved"));
    return changed;
  }

  /** Waits until nothing is being saved. */
  async rest(): Promise<void> {
    while (this.under) await this.under;
  }

  /** Does what only reads, again and again until the server is reached. */
  async persist<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ApiError) || !isPassing(error)) throw error;
        await this.wait();
      }
    }
  }

  private async wait(): Promise<void> {
    this.saving.value = "waiting";
    await new Promise<void>((go) => {
      const timer = setTimeout(go, retryDelay);
      addEventListener("online", () => (clearTimeout(timer), go()), { once: true });
    });
    this.saving.value = "saving";
  }

  private showFaults(what: "save" | "publish"): false {
    this.form.peek().problems.sentFor.value = what === "publish" || !this.type.draftAndPublish ? "publish" : "save";
    this.shownFaults.value++;
    return false;
  }

  private askConflicts(): false {
    this.asked.value++;
    return false;
  }

  private async mergeTheirs(): Promise<boolean> {
    const loaded = await this.persist(() => load(this.place));
    return this.takeOver(loaded, await this.textsOf(loaded));
  }

  private lose(): false {
    if (!this.gone.peek()) announce(t("editor.gone"));
    this.gone.value = true;
    return false;
  }

  private refused(error: ApiError, sent: Entry): false {
    const listed = refusalsOf(error);
    this.refusals.value = listed.length > 0 ? this.form.peek().refuse(listed, sent) : [error.message];
    this.shownFaults.value++;
    return false;
  }

  /** Shows an error of an action, such as what keeps the draft from being published. */
  explain(error: unknown) {
    if (!(error instanceof ApiError)) throw error;
    this.refused(error, this.form.peek().fields());
  }

  /** Reads the document again after an action: publish, unpublish, a schedule. */
  async reload(): Promise<void> {
    const loaded = await load(this.place);
    this.takeOver(loaded, await this.textsOf(loaded), false);
  }

  /** Shows another state of the document in the place of the form, as after discarding a draft. */
  async reset(): Promise<void> {
    const loaded = await load(this.place);
    batch(() => {
      this.loaded.value = loaded;
      this.startForm(this.freshForm());
    });
    await this.forget();
  }

  /**
   * Goes back to what the server has. Gives what brings back what was typed, except where
   * something else is there since; that gives the labels of those places.
   */
  discard(): () => readonly string[] {
    const before = this.form.peek();
    const restored = this.restored.peek();
    const fresh = this.freshForm();
    const since = fresh.fields();
    this.startForm(fresh);
    void this.forget();
    return () => {
      if (this.form.peek() !== fresh || fresh.changes.peek() > 0) return this.labels(this.form.peek().giveBack(before, since));
      this.startForm(before);
      this.restored.value = restored;
      this.keeper.changed();
      return [];
    };
  }

  private labels(names: readonly string[]): string[] {
    return names.map((name) => this.type.attributes.find((a) => a.name === name)?.label ?? name);
  }

  private freshForm(stored?: StoredForm): FormStore {
    return new FormStore({ shape: shapeOf(this.type), entry: entryOf(this.loaded.peek()), shared: this.shared, say, ...(stored && { stored }) });
  }

  private startForm(form: FormStore) {
    this.form.value = form;
    this.restored.value = null;
    this.refusals.value = [];
  }

  private async restore(kept: Found): Promise<void> {
    try {
      const form = this.freshForm(kept.form);
      const entry = entryOf(this.loaded.peek());
      const loaded = this.loaded.peek();
      const merged = entry && kept.version !== loaded?.version ? form.rebase(entry, await textsFor(form, entry)).merged : [];
      if (!form.dirty.peek()) return void this.forget();
      this.form.value = form;
      this.restored.value = kept;
      this.tellMerged(loaded, merged);
      void this.keeper.writeDevice().then(() => clearKept(this.address)); // never without a record
    } catch (error) {
      console.error(error); // it is of a schema that no longer fits; the record stays
    }
  }

  private async forget(): Promise<void> {
    if (this.loaded.peek()?.autosave) this.keeper.known();
    await this.keeper.forget();
    await clearKept(this.address);
  }

  private async textsOf(loaded: Loaded): Promise<Texts | null> {
    const entry = entryOf(loaded);
    return entry && loaded.version !== this.loaded.peek()?.version ? textsFor(this.form.peek(), entry) : null;
  }

  /** Takes over what others have stored, and says so. Gives whether the form has something of that. */
  private takeOver(loaded: Loaded, texts: Texts | null, say = true): boolean {
    const entry = entryOf(loaded);
    const before = this.loaded.peek()?.version;
    this.loaded.value = loaded;
    if (!entry || loaded.version === before) return false;
    const { taken, merged } = this.form.peek().rebase(entry, texts);
    if (say && taken.length > 0) announce(this.words(loaded, "editor.taken-over", taken));
    this.tellMerged(loaded, merged);
    return taken.length + merged.length > 0;
  }

  private words(loaded: Loaded | null, key: "editor.taken-over" | "editor.merged", names: readonly string[]): string {
    const fields = this.labels(names).join(", ");
    return this.isOwn(loaded) ? t(`${key}-own`, { fields }) : t(key, { who: loaded?.updatedBy?.name ?? t("editor.somebody"), fields });
  }

  /** Says that texts were merged, with a way to see how, and back. */
  tellMerged(loaded: Loaded | null, texts: readonly MergedText[]) {
    if (texts.length === 0) return;
    const text = this.words(loaded, "editor.merged", [...new Set(texts.map(({ path }) => String(path[0])))]);
    this.stops.push(toast({ text, action: { label: t("editor.merged-show"), run: () => (this.shownMerge.value = { text, texts, form: this.form.peek() }) }, stay: 30_000 }));
  }

  /** Whether the person has stored this, as in another window. */
  isOwn(loaded: Loaded | null): boolean {
    const id = loaded?.updatedBy?.id;
    return id !== undefined && id === account.peek()?.id;
  }

  private follow() {
    this.stops.push(
      effect(() => {
        if (this.form.value.changes.value > 0) this.keeper.changed();
      }),
      subscribe(
        (change) => this.hear(change),
        () => void (this.isNew || this.refresh()),
      ),
    );
    const flush = () => this.keeper.flush();
    const hidden = () => document.hidden && flush();
    addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", hidden);
    this.stops.push(() => {
      removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", hidden);
    });
  }

  private hear(change: Change) {
    const mine = this.type.kind === "singleType" || change.documentId === this.documentId.peek();
    if (change.type !== this.type.uid || !mine || this.isNew) return;
    clearTimeout(this.refreshing);
    this.refreshing = window.setTimeout(() => void this.refresh(), 150);
  }

  private async refresh(): Promise<void> {
    await this.rest();
    const before = this.loaded.peek();
    try {
      const loaded = await load(this.place);
      const texts = await this.textsOf(loaded);
      if (this.loaded.peek() !== before || this.under) return this.refresh(); // it may be older than what is there now
      this.takeOver(loaded, texts);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) this.lose();
    }
  }

  private get address(): Address {
    const id = this.documentId.peek();
    const document = id === null ? this.type.uid : `${this.type.uid}/${id}`;
    return { account: account.peek()?.id ?? "", document, locale: this.type.localized ? this.locale : null };
  }

  private makeKeeper(): Keeper {
    return new Keeper(this.address, (steps) => this.kept(steps));
  }

  private kept(steps?: number): Kept | null {
    const form = this.form.peek();
    return form.dirty.peek() ? { form: form.store(steps), version: this.loaded.peek()?.version, title: this.title.peek() } : null;
  }

  /** The page is left. What was typed and not saved stays on the device. */
  close() {
    this.keeper.flush();
    clearTimeout(this.refreshing);
    for (const stop of this.stops) stop();
  }
}
