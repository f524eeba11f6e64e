;;; Drives a real Emacs with eglot: a changed argument that is not saved shows what it forces.  -*- lexical-binding: t -*-
;; $INIT is the user's configuration, $MODULE a root module whose plan has no changes, $RESULT the file for what is told.

(require 'eglot)
(setq make-backup-files nil create-lockfiles nil auto-save-default nil eglot-confirm-server-edits nil)
;; The least of the package terraform-mode, which Debian does not have.
(define-derived-mode terraform-mode prog-mode "Terraform")
(add-to-list 'auto-mode-alist '("\\.tf\\'" . terraform-mode))
(load (getenv "INIT") nil t)

(defvar planlens-has-failed nil)

(defun planlens-say (&rest words)
  (write-region (concat (string-join words " ") "\n") nil (getenv "RESULT") 'append 'quiet))

(defun planlens-wait (what condition)
  "Wait until CONDITION holds; the limit is far beyond what a plan takes.
A user's Emacs becomes idle between keys, and eglot waits for that; here it is not told anew."
  (let ((end (+ (float-time) 120)) (found nil))
    (while (and (not (setq found (ignore-errors (funcall condition)))) (< (float-time) end))
      (sit-for 0.1)
      (mapc #'timer-event-handler (copy-sequence timer-idle-list)))
    (or found (error "timeout: %s: %S" what (mapcar #'flymake-diagnostic-text (flymake-diagnostics))))))

(defmacro planlens-test (name &rest body)
  `(unless planlens-has-failed
     (condition-case fault
         (progn ,@body (planlens-say "ok" ,name))
       (error (setq planlens-has-failed t)
              (planlens-say "not ok" ,name (prin1-to-string fault))))))

(defun planlens-at (text)
  "Go to the end of TEXT in the buffer."
  (goto-char (point-min))
  (search-forward text))

(defun planlens-hints ()
  "What is drawn between the text of this line."
  (mapconcat (lambda (each) (concat (overlay-get each 'before-string) (overlay-get each 'after-string)))
             (seq-filter (lambda (each) (overlay-get each 'eglot--inlay-hint))
                         (overlays-in (line-beginning-position) (1+ (line-end-position))))
             " "))

(defun planlens-diagnostic (code)
  "The text that the first diagnostic with CODE is at."
  (when-let ((found (seq-find (lambda (each) (string-match-p code (flymake-diagnostic-text each))) (flymake-diagnostics))))
    (buffer-substring (flymake-diagnostic-beg found) (flymake-diagnostic-end found))))

(defun planlens-hover ()
  (let ((answer (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (eglot--hover-info (plist-get answer :contents))))

(defun planlens-journey ()
  (planlens-say "# Emacs" emacs-version)
  (find-file (expand-file-name "main.tf" (getenv "MODULE")))
  (planlens-test "the lines of the documentation start the server"
    ;; Here is no command that ends.
    (run-hooks 'post-command-hook)
    (planlens-wait "server" #'eglot-managed-p))
  (planlens-test "values stand beside the text as soon as it is planned"
    (planlens-at "keepers = local.keepers")
    (planlens-wait "hint" (lambda () (string-search "{ \"release\" = \"1\" }" (planlens-hints)))))
  (planlens-test "an unsaved change shows what it forces, behind characters of several bytes too"
    (planlens-at "fixed = \"yes")
    (replace-match "fixed = \"🙂🙂\", also = \"no")
    (planlens-wait "hint" (lambda () (string-search "⟳ forces replacement" (planlens-hints))))
    (planlens-say "   hint:" (planlens-hints))
    (planlens-wait "diagnostic" (lambda () (planlens-diagnostic "must be replaced")))
    (planlens-say "   diagnostic at:" (planlens-diagnostic "must be replaced"))
    (cl-assert (equal (planlens-diagnostic "must be replaced") "\"🙂🙂\"") t)
    (let ((text (planlens-hover)))
      (planlens-say "   hover:" text)
      (cl-assert (string-search "forces replacement" text) t)))
  (planlens-test "undo takes it back"
    (undo-start)
    (while (buffer-modified-p) (undo-more 1))
    (planlens-wait "no diagnostic" (lambda () (not (planlens-diagnostic "must be replaced"))))
    (planlens-wait "no hint" (lambda () (not (string-search "forces" (planlens-hints))))))
  (planlens-test "a fix writes the name that was meant"
    (goto-char (point-max))
    (insert "\noutput \"o\" {\n  value = random_string.wrod.result\n}\n")
    (planlens-wait "diagnostic" (lambda () (planlens-diagnostic "wrod")))
    (planlens-at "random_string.wr")
    (eglot-code-actions (point) (point) "quickfix" t)
    (planlens-wait "text" (lambda () (progn (goto-char (point-min)) (search-forward "value = random_string.word.result" nil t)))))
  (planlens-test "a rename comes with its moved block"
    (planlens-at "\"random_string\" \"wo")
    (eglot-rename "term")
    (planlens-wait "moved" (lambda () (seq-some (lambda (each)
                                                 (with-current-buffer each
                                                   (save-excursion
                                                     (goto-char (point-min))
                                                     (search-forward "from = random_string.word\n  to   = random_string.term\n" nil t))))
                                               (buffer-list))))
    (planlens-at "value = random_string.term.result"))
  (kill-emacs (if planlens-has-failed 1 0)))

(run-with-timer 0 nil #'planlens-journey)
