import type { Messages } from "../../core/message";
import type { en } from "./en";

// The messages of the page beside a form in Portuguese of Brazil: the same keys as in en.ts, in the same order.
export const pt: Messages<keyof typeof en> = {
  title: "Prévia",
  frame: "A página deste documento",
  size: "Largura da página",
  phone: "Celular",
  desktop: "Computador",
  reload: "Recarregar a página",
  window: "Abrir em outra janela",
  close: "Fechar a prévia",
  width: "Largura da prévia",
  loading: "Carregando a prévia …",
  follows: "Mostra o que é digitado, antes de salvar",
  stored: "Mostra o que está salvo",
  problem: "A prévia não mostra a última alteração: {reason}",
  outside: "A página está em outra janela e segue o formulário lá.",
  back: "Mostrar aqui de novo",
  blocked: "O navegador não permitiu outra janela",
};
