require "AssessmentBase.rb"

module @module@
  include AssessmentBase

  def assessmentInitialize(course)
    super("@name@", course)
    @problems = []
  end

  # The files that Autolab passes to a grader, plus "student", because the seed depends on the submitter.
  def autogradeInputFiles(ass_dir, assessment, submission)
    handins = File.join(ass_dir, assessment.handin_directory)
    student = File.join(handins, submission.filename + ".student")
    File.write(student, submission.course_user_datum.email)
    [
      { "localFile" => File.join(handins, submission.filename), "destFile" => assessment.handin_filename },
      { "localFile" => File.join(ass_dir, "autograde-Makefile"), "destFile" => "Makefile" },
      { "localFile" => File.join(ass_dir, "autograde.tar"), "destFile" => "autograde.tar" },
      { "localFile" => student, "destFile" => "student" }
    ]
  end
end
